scenario "s" {}

node "web" {
  image = "i"
}

workload "http" "clients" {
  url  = "http://${node.web.ip}/"
  rate = 20
}

assert "always" {
  after      = [workload.clients]
  condition  = workload.clients.failed == 0
  throughout = workload.clients
}

action "sleep" "never" {
  for = "1s"
}

# want: SCN0503 12 assert "always"
