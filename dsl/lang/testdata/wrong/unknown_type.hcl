scenario "s" {}

node "web" {
  image = "i"
}

action "kil" "outage" {
  nodes = [node.wbe] # whatever it takes, this isn't there
}

assert "a" {
  condition = action.outage.ended_at == null
}
