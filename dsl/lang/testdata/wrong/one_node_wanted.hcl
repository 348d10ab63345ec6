scenario "s" {}

node "web" {
  count = 2
  image = "i"
}

probe "node" "n" {
  node = node.web
}
