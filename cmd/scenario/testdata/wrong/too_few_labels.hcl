scenario "s" {}

node "web" {
  image = "i"
}

action "outage" {
  nodes = [node.web]
}

assert "a" {
  condition = action.outage.state == "passed"
}

# want: SCN0205 7 action "outage"
