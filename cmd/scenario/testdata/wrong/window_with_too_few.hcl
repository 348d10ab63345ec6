scenario "s" {}

node "web" {
  image = "i"
}

workload "http" "clients" {
  url     = "http://${node.web.ip}/"
  rate    = 20
  capture = { pid = "pid" }
}

action "kill" "outage" {
  nodes = [node.web]
}

assert "a" {
  condition = between(workload.clients, action.outage).failed == 0
}

# want: SCN0307 18 between(workload.clients, action.outage)
