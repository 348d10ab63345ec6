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
  condition = during(workload.clients, action.outge).failed == 0
}

# want: SCN0203 18 action.outge
