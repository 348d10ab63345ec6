scenario "s" {}

node "web" {
  image = "i"
}

action "kill" "outage" {
  nodes = [node.web]
}

output "ip" {
  value = action.outage.nodes.ip
}

output "first" {
  value = action.outage.nodes[0].ip.v4
}

# want: SCN0209 12 ip
# want: SCN0209 16 v4
