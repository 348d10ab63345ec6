scenario "s" {}

node "web" {
  count = 2
  image = "i"
}

workload "http" "clients" {
  for_each = toset(["a", "b"])
  url      = "http://${node.web[0].ip}/"
  rate     = 20
}

action "kill" "outage" {
  count = 2
  nodes = [node.web[count.index]]
}

assert "which_workload" {
  condition = during(workload.clients, action.outage[0]).failed == 0
}

assert "which_fault" {
  condition = during(workload.clients["a"], action.outage).failed == 0
}

assert "computed" {
  condition = alltrue([for i in [0, 1] : during(workload.clients["a"], action.outage[i]).failed == 0])
}

# want: SCN0313 20 workload.clients
# want: SCN0313 24 action.outage
# want: SCN0306 28 action.outage[i]
