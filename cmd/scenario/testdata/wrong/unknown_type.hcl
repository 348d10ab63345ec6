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

# want: SCN0208 7 "kil"
# want: SCN0203 8 node.wbe
