scenario "s" {}

node "a" {
  image = "i"
}

probe "node" "p" {
  node = node.a
}

action "kill" "outage" {
  nodes      = [node.a]
  background = true
}

assert "stays_down" {
  condition  = !probe.p.running
  throughout = action.outage
}

action "start" "back" {
  nodes = [node.a]
}

# want: SCN0503 16 assert "stays_down"
