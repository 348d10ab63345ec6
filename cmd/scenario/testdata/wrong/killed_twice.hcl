scenario "s" {}

node "web" {
  image = "i"
}

action "kill" "k" {
  nodes = [node.web]
}

action "kill" "again" {
  nodes = [node.web]
}

# want: SCN0506 11 action "kill" "again"
