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

# want: SCN0204 7 workload "http" "clients"
# want: SCN0204 16 action "exec" "x"
# want: SCN0204 16 action "exec" "x"
