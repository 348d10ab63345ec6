scenario "s" {}

node "web" {
  count = 2
  image = "i"
}

probe "node" "n" {
  node = node.web
}

# want: SCN0301 9 node.web
