# No product here: three small web servers, and a define of the project's own library. Any image with a Python will do.

include = ["lib/rolling.hcl"]

scenario "rolling_restart" {
  description = "Clients that know all servers lose no request while the servers are restarted one after the other"
  tags        = ["http", "restart"]
  timeout     = "3m"
}

variable "image" {
  type        = string
  default     = "python:3.11-slim-bookworm"
  description = "An image with a Python"
}

variable "at_once" {
  type        = number
  default     = 1
  description = "How many servers are restarted at a time. With all three, requests are lost"
}

node "web" {
  count   = 3
  image   = var.image
  command = ["python3", "-m", "http.server", "8080"]

  ready {
    http = ":8080/"
  }
}

probe "answering" "servers" {
  nodes = node.web
}

workload "http" "clients" {
  urls     = [for n in node.web : "http://${n.ip}:8080/"]
  failover = true
  rate     = 20
  timeout  = "300ms" # a server that is down refuses nothing: it doesn't answer
}

assert "all_before" {
  condition = probe.servers.count == 3
}

action "rolling_restart" "roll" {
  nodes   = node.web
  at_once = var.at_once
}

assert "no_request_lost" {
  condition = between(workload.clients, action.roll, action.roll).failed == 0
}

assert "all_after" {
  condition = probe.servers.all
}

output "seconds_a_lot" {
  description = "How long one lot of servers took to be restarted and to answer again"
  value       = action.roll.seconds / action.roll.lots
}
