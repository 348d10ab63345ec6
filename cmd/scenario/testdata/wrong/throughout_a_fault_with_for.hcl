scenario "s" {}

node "web" {
  image = "i"
}

action "pause" "outage" {
  nodes = [node.web]
  for   = "5s"
}

assert "calm" {
  condition  = node.web.state == "ready"
  throughout = action.outage
}

# want: SCN0218 14 action.outage
