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
