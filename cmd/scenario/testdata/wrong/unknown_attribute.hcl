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

# want: SCN0209 8 ipp
# want: SCN0209 12 stauts
