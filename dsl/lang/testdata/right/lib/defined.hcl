# Types that other files use.

variable "pause" {
  type    = string
  default = "2s"
}

image "extra" { pull = "extra:1" }

define "probe" "answers" {
  description = "Asks a node over HTTP, and its processes."
  param "node" { type = node }
  param "path" {
    type        = string
    default     = "/"
    description = "What is asked for."
    validation {
      condition     = startswith(param.path, "/")
      error_message = "A path begins with a slash."
    }
  }
  locals { base = "http://${param.node.host}:8080" }

  probe "http" "get" { url = "${local.base}${param.path}" }
  probe "processes" "all" { node = param.node }

  result {
    ok     = probe.get.ok && probe.all.count > 0
    status = probe.get.status
    where  = local.base
  }
}

define "action" "wait" {
  param "nodes" { type = list(node) }
  param "within" {
    type    = string
    default = "30s"
  }
  probe "answers" "each" {
    for_each = param.nodes
    node     = each.value
  }
  assert "all" {
    condition = alltrue([for p in probe.each : p.ok])
    within    = param.within
  }
  result { statuses = [for p in probe.each : p.status] }
}

define "action" "rolling_restart" {
  description = "Restarts nodes, one after the other."
  param "nodes" {
    type        = list(node)
    description = "The nodes, in this order."
  }
  param "pause" {
    type    = string
    default = "2s"
  }
  repeat "round" {
    times = length(param.nodes)
    action "restart" "one" { nodes = [param.nodes[repeat.index]] }
    action "wait" "ready" {
      nodes  = [param.nodes[repeat.index]]
      within = var.pause
    }
    action "sleep" "pause" { for = param.pause }
  }
  action "note" "names" {
    for_each = param.nodes
    values   = { name = each.value.name, ip = each.value.ip }
  }
  result {
    first    = param.nodes[0]
    restarts = length(param.nodes)
    names    = [for n in action.names : n.values.name]
    slowest  = max([for n in action.names : n.elapsed_seconds]...)
  }
}

define "action" "measured" {
  param "traffic" { type = workload }
  param "before" { type = step }
  param "outage" { type = fault }
  param "node" {
    type    = node
    default = null
  }
  param "options" {
    type    = object({ limit = optional(number, 3), name = string })
    default = { name = "x" }
  }
  action "kill" "again" {
    nodes = param.node
    when  = param.node != null
  }
  assert "few" {
    condition = during(param.traffic, param.outage).failed <= param.options.limit && param.traffic.total > 0
  }
  action "heal" "outage" { faults = [param.outage] }
  assert "since" {
    condition = since(param.traffic, param.before).error_rate < 0.5 && param.before.elapsed_seconds < 10
  }
  action "stop_workload" "stop" { workload = param.traffic }
  result {
    failed = during(param.traffic, param.outage).failed
    total  = action.stop.total
  }
}
