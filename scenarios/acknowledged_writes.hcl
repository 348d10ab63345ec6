# No product here: a store in one file that is killed while clients write to it. Any image with a Python will do.

scenario "acknowledged_writes" {
  description = "Every write that a store has acknowledged is there exactly once after it was killed"
  tags        = ["http", "writes"]
  timeout     = "3m"
}

variable "image" {
  type        = string
  default     = "python:3.11-slim-bookworm"
  description = "An image with a Python"
}

variable "ledger" {
  type        = string
  default     = ""
  description = "\"loses\" or \"doubles\" makes the store break its word, which the end must show"
}

node "store" {
  image   = var.image
  command = ["python3", "/ledger.py"]
  env     = { LEDGER = var.ledger }
  files   = { "/ledger.py" = file("apps/ledger.py") }

  ready {
    http = ":8080/keys"
    tcp  = 7000
  }
}

node "client" {
  image   = var.image
  command = ["sleep", "infinity"]
  files   = { "/client.py" = file("apps/ledger_client.py") }
}

# Keys differ by the request's number, and the answer says which one it acknowledges.
workload "http" "writes" {
  url       = "http://${node.store.ip}:8080/keys"
  method    = "POST"
  headers   = { Content-Type = "application/json" }
  body      = jsonencode({ key = "agent-{seq}" })
  rate      = 50
  timeout   = "500ms"
  keepalive = true
  expect    = { status = 201 }
  capture   = { key = "key", count = "count" }
  monotonic = ["count"]
}

# The same from a program in a node, by a client of its own.
workload "exec" "program" {
  node    = node.client
  command = ["python3", "/client.py", "http://${node.store.ip}:8080/keys"]
  workers = 2
  capture = { key = "key" }
}

workload "tcp" "pings" {
  target  = "${node.store.ip}:7000"
  rate    = 20
  send    = "PING\n"
  expect  = "^PONG"
  timeout = "500ms"
}

probe "dns" "store_name" {
  name = node.store.host
  from = node.client
}

probe "metrics" "store_counts" {
  url = "http://${node.store.ip}:8080/metrics"
}

assert "the_store_is_found_and_counts" {
  condition = one(probe.store_name.addresses) == node.store.ip && probe.store_counts.values["ledger_acknowledged_total"] > 20
  within    = "5s"
}

action "kill" "crash" {
  nodes = node.store
}

action "sleep" "away" {
  for = "1s"
}

action "start" "back" {
  nodes = node.store
}

assert "the_crash_was_felt_by_all" {
  condition = alltrue([
    during(workload.writes, action.crash).ok == 0, during(workload.writes, action.crash).failed > 20,
    during(workload.program, action.crash).ok == 0, during(workload.program, action.crash).failed > 0,
    during(workload.pings, action.crash).ok == 0, during(workload.pings, action.crash).failed > 10,
  ])
  within = "5s"
}

assert "all_recover" {
  condition = alltrue([for w in [since(workload.writes, action.back), since(workload.program, action.back), since(workload.pings, action.back)] : w.recovery_seconds < 1])
  within    = "10s"
}

action "stop_workload" "writes" {
  workload = workload.writes
}

action "stop_workload" "program" {
  workload = workload.program
}

action "http" "read" {
  url    = "http://${node.store.ip}:8080/keys"
  expect = { status = 200 }
}

locals {
  acknowledged = concat(action.writes.captured.key, action.program.captured.key)
  lost         = setsubtract(local.acknowledged, action.read.json.keys)
  doubled      = [for key, all in { for key in action.read.json.keys : key => key... } : key if length(all) > 1]
}

assert "acknowledged_writes_are_there_exactly_once" {
  condition = length(local.acknowledged) > 100 && length(local.lost) == 0 && length(local.doubled) == 0
}

assert "no_key_was_acknowledged_twice" {
  condition = length(action.writes.duplicates.key) == 0 && length(action.program.duplicates.key) == 0
}

output "acknowledged" {
  value = length(local.acknowledged)
}

# Writes that nobody knows about may be there or not: they are no loss.
output "unknown" {
  value = action.writes.unknown + action.program.unknown
}
