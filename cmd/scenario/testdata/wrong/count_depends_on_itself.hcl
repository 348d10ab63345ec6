scenario "s" {}

node "a" {
  count = length(node.b)
  image = "i"
}

node "b" {
  count = length(node.a)
  image = "i"
}

# want: SCN0403 4 length(node.b)
