scenario "s" {}

node "web" {
  image = "i"
}

probe "http" "p" {
  url    = "http://${node.web.ip}/"
  method = "get"
}

assert "a" {
  condition = probe.p.ok
}

# want: SCN0305 9 "get"
