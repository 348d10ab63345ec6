scenario "s" {}

node "web" {
  image = "i"
}

assert "up" {
  condition = node.web.state == "ready"
  within    = "1s"
  every     = "10s"
}

assert "stays" {
  condition = node.web.state == "ready"
  within    = "20s"
  hold      = "5s"
  every     = "6s"
}

assert "at_both_ends" {
  condition = node.web.state == "ready"
  within    = "5s"
  every     = "5s"
}

# want: SCN0218 10 "10s"
# want: SCN0218 17 "6s"
