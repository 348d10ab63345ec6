scenario "s" {}

node "web" {
  image = "i"
}

action "node" "n" {
  node = node.web
}
