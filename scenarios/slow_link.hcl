# No Ray here: two small HTTP servers, one of which has a bad line. Any image with a Python will do.

scenario "slow_link" {
  description = "What a server sends late, or thinly, costs its own clients just that, and others nothing"
  tags        = ["network"]
  timeout     = "2m"
}

variable "image" {
  type    = string
  default = "python:3.11-slim-bookworm"
}

node "web" {
  count   = 2
  image   = var.image
  command = ["python3", "-m", "http.server", "8080", "--directory", "/srv"]
  files   = { "/srv/page" = join("", [for i in range(1000) : format("%0200d", i)]) } # 200 kB

  ready {
    http = ":8080/"
  }
}

probe "http" "page" {
  url     = "http://${node.web[0].ip}:8080/page"
  timeout = "10s"
}

workload "http" "clients" {
  url  = "http://${node.web[0].ip}:8080/"
  rate = 20
}

workload "http" "others" {
  url  = "http://${node.web[1].ip}:8080/"
  rate = 20
}

assert "quick" {
  condition = probe.page.ok && probe.page.latency_seconds < 0.2
  within    = "10s"
}

# Late: to connect and to ask are two ways there and back.

action "delay" "late" {
  isolate = [node.web[0]]
  latency = "100ms"
}

action "sleep" "for_a_while" {
  for = "4s"
}

action "heal" "in_time" {
  faults = [action.late]
}

assert "clients_waited_and_lost_nothing" {
  condition = (
    during(workload.clients, action.late).p50_seconds >= 0.2
    && during(workload.clients, action.late).failed == 0
  )
}

assert "others_noticed_nothing" {
  condition = during(workload.others, action.late).p50_seconds < 0.1
}

# Thin: 200 kB take a second and a half.

action "rate_limit" "thin" {
  isolate = [node.web[0]]
  rate    = "1mbit"
}

assert "takes_its_time" {
  condition = probe.page.ok && probe.page.latency_seconds > 1
}

action "heal" "wide" {
  faults = [action.thin]
}

assert "quick_again" {
  condition = probe.page.ok && probe.page.latency_seconds < 0.2
  within    = "10s"
}

output "late_p50_seconds" {
  description = "Half of the requests that were late took no longer"
  value       = during(workload.clients, action.late).p50_seconds
}
