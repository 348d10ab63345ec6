scenario "s" {}

node "web" {
  image = "i"
}

workload "http" "clients" {
  url  = "http://${node.web.ip}/"
  rate = 20
}

action "kill" "k" {
  nodes = [node.web]
  for   = "1s"
}

assert "a" {
  condition = between(workload.clients, action.k, node.web).total > 0
}

# want: SCN0315 18 node.web
