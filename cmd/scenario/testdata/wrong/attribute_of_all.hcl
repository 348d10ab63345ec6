scenario "s" {}

node "web" {
  image = "i"
}

assert "a" {
  condition = length(node.web.*.id) > 0
}

# want: SCN0209 8 id
