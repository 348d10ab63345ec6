scenario "s" {}

node "web" {
  image = "i"
}

action "pause" "k" {
  nodes = [node.web[0]]
}
