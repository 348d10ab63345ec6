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
  condition = during("clients", action.outage).failed == 0
}

assert "b" {
  condition = since(workload.clients.failed, action.outage).failed == 0
}

# want: SCN0306 18 "clients"
# want: SCN0306 22 .failed
