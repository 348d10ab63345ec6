scenario "s" {}

node "web" {
  image = "i"
}

action "kill" "outage" {
  node = [node.web]
}

# want: SCN0202 8 node
