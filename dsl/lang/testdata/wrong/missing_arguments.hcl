scenario "s" {}

node "web" {
  image = "i"
}

workload "http" "clients" {
  url     = "http://${node.web.ip}/"
  capture = { pid = "pid" }
}

action "kill" "outage" {
  nodes = [node.web]
}

action "exec" "x" {}
