scenario "s" {}

node "web" {
  image = "i"
}

node "b" {
  image = "i"
}

action "pause" "p" {
  nodes = [node.web]
}

action "heal" "h" {
  faults = [action.p]
}

assert "while" {
  condition  = node.b.state == "ready"
  throughout = action.p
}

# want: SCN0218 21 action.p
