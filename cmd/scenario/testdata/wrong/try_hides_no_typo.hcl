scenario "s" {}

node "web" {
  image = "i"
}

probe "http" "p" {
  url = "http://${node.web.ip}/"
}

assert "a" {
  condition = try(probe.p.okk, true)
}

assert "b" {
  condition = can(probe.q.ok)
}

# want: SCN0209 12 okk
# want: SCN0203 16 probe.q
