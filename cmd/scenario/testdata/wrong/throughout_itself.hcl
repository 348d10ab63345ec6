scenario "s" {}

node "web" {
  image = "i"
}

assert "itself" {
  condition  = node.web.state == "ready"
  throughout = assert.itself
}

# want: SCN0501 9 assert.itself
