scenario "s" {}

node "web" {
  image = "i"
}

action "node" "n" {
  node = node.web
}

# want: SCN0208 7 "node"
