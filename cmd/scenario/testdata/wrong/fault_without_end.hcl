scenario "s" {}

node "web" {
  image = "i"
}

action "kill" "k" {
  nodes = [node.web]
}

# want: SCN0505 7 action "kill" "k"
