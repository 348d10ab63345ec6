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
  condition = during(workload.clients, action.outage).faild == 0
}

assert "b" {
  condition = length(since(workload.clients, action.outage).captured.pids) == 2
}

# want: SCN0209 18 faild
# want: SCN0209 22 pids
