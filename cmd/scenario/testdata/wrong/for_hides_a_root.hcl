scenario "s" {}

node "web" {
  count = 2
  image = "i"
}

action "note" "n" {
  values = [for node in node.web : node.name]
}

# want: SCN0214 9 node
