workload "http" "clients" {
  url = "u"
}

assert "always" {
  after      = [workload.clients]
  condition  = workload.clients.failed == 0
  throughout = workload.clients
}

action "sleep" "never" {
  for = "1s"
}

action "stop_workload" "enough" {
  workload = workload.clients
}
