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

action "heal" "mend" {
  faults = action.outage
}

action "heal" "again" {
  faults = [workload.clients]
}

# want: SCN0306 18 action.outage
# want: SCN0315 22 workload.clients
