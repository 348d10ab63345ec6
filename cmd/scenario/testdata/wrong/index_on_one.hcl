scenario "s" {}

node "web" {
  image = "i"
}

action "pause" "k" {
  nodes = [node.web[0]]
}

# want: SCN0313 8 [0]
