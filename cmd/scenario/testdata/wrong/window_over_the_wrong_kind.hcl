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

action "sleep" "nap" {
  for = "1s"
}

assert "a" {
  condition = during(workload.clients, action.nap).failed == 0
}

assert "b" {
  condition = during(action.outage, workload.clients).failed == 0
}

assert "c" {
  condition = since(workload.clients, node.web).failed == 0
}

# want: SCN0315 22 action.nap
# want: SCN0315 26 action.outage
# want: SCN0315 26 workload.clients
# want: SCN0315 30 node.web
