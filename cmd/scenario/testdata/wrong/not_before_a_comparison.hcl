scenario "s" {}

node "web" {
  image = "i"
}

assert "a" {
  condition = !node.web.state == "ready"
}

# want: SCN0302 8 !node.web.state
