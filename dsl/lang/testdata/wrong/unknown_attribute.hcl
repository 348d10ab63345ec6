scenario "s" {}

node "web" {
  image = "i"
}

probe "http" "p" {
  url = "http://${node.web.ipp}/"
}

assert "a" {
  condition = probe.p.stauts == 200
}
