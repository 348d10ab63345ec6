scenario "s" {}

node "web" {
  image = "i"
}

action {
  nodes = [node.wbe]
}

assert "a" {
  condition = action.outage.state == "passed"
}

# want: SCN0205 7 action
