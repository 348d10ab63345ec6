scenario "s" {}

node "web" {
  image = "i"
}

action "kil" "outage" {
  nodes = [node.wbe] # not checked: what it takes isn't known
}

assert "a" {
  condition = action.outage.ended_at == null
}
