scenario "s" {}

node "web" {
  image = "i"
}

probe "htpp" "p" {
  url = "http://${node.wbe.ip}/"
}

assert "a" {
  condition = probe.p.ok
}

# want: SCN0208 7 "htpp"
# want: SCN0203 8 node.wbe
