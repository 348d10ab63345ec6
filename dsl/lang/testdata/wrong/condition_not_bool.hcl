scenario "s" {}

node "web" {
  image = "i"
}

probe "http" "p" {
  url = "http://${node.web.ip}/"
}

assert "a" {
  condition = probe.p.status
}

action "sleep" "b" {
  when = probe.p.body
  for  = "1s"
}
