include = ["lib/defined.hcl"]

scenario "defines" {}

node "web" {
  count = 3
  image = image.extra
}
node "lone" { image = "x" }

probe "answers" "web" {
  node = node.web[1]
  path = "/healthz"
}

workload "http" "load" {
  url  = "http://x/"
  rate = 10
}
action "note" "begin" { values = {} }
action "rolling_restart" "roll" {
  nodes   = [node.web, node.lone]
  timeout = "1m"
}
action "wait" "each" {
  for_each = { a = node.web[0], b = node.lone }
  nodes    = [each.value]
}
action "pause" "outage" {
  nodes = node.web[0]
}
action "measured" "loss" {
  traffic = workload.load
  before  = action.begin
  outage  = action.outage
  node    = action.roll.first
  when    = action.roll.restarts > 2
}
repeat "twice" {
  times = 2
  action "wait" "again" { nodes = node.web }
  assert "ok" { condition = length(action.again.statuses) == 3 }
}
assert "results" {
  condition = (action.roll.slowest < 60 && action.roll.names[0] == "web" && action.each["a"].statuses[0] == 200
  && probe.web.ok && probe.web.where != "" && action.loss.failed < 10)
}
cleanup {
  action "wait" "end" { nodes = [node.lone] }
}
output "failed" { value = action.loss.failed }
