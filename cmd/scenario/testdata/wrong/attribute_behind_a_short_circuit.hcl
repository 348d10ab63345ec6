scenario "s" {}

node "web" {
  image = "i"
}

probe "http" "p" {
  url = "http://${node.web.ip}/"
}

assert "and" {
  condition = false && probe.p.okk
}

assert "or" {
  condition = true || probe.p.okk
}

assert "arm" {
  condition = true ? probe.p.ok : probe.p.okk
}

# want: SCN0209 12 okk
# want: SCN0209 16 okk
# want: SCN0209 20 okk
