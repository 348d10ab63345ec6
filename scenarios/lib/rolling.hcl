# Rolling restarts of nodes that serve HTTP: for any product, so nothing here knows one.

define "probe" "answering" {
  description = "How many of some nodes answer over HTTP"

  param "nodes" {
    type        = list(node)
    description = "The nodes that are asked."
  }
  param "port" {
    type        = number
    default     = 8080
    description = "Where they serve."
  }
  param "path" {
    type        = string
    default     = "/"
    description = "What is asked for."
    validation {
      condition     = startswith(param.path, "/")
      error_message = "A path begins with a slash."
    }
  }

  probe "http" "each" {
    for_each = param.nodes
    url      = "http://${each.value.ip}:${param.port}${param.path}"
    timeout  = "500ms"
  }

  result {
    count = length([for p in probe.each : p if p.ok])
    all   = alltrue([for p in probe.each : p.ok])
  }
}

define "action" "restart_and_wait" {
  description = "Restarts nodes together and waits until each of them answers"

  param "nodes" {
    type        = list(node)
    description = "The nodes."
  }
  param "within" {
    type        = string
    default     = "20s"
    description = "How long they may take to answer again."
  }

  probe "answering" "again" {
    nodes = param.nodes
  }

  action "restart" "nodes" {
    nodes = param.nodes
    grace = "1s"
  }

  assert "answers" {
    condition     = probe.again.all
    within        = param.within
    error_message = "${probe.again.count} of ${length(param.nodes)} answer."
  }
}

define "action" "rolling_restart" {
  description = "Restarts nodes some at a time, each lot once the one before answers"

  param "nodes" {
    type        = list(node)
    description = "The nodes, in this order."
  }
  param "at_once" {
    type        = number
    default     = 1
    description = "How many are restarted at a time."
    validation {
      condition     = param.at_once >= 1
      error_message = "At least one node must be restarted at a time."
    }
  }
  param "pause" {
    type        = string
    default     = "2s"
    description = "How long to leave each lot in peace before the next."
  }

  locals {
    lots = chunklist(param.nodes, param.at_once)
  }

  repeat "lot" {
    times = length(local.lots)

    action "restart_and_wait" "it" {
      nodes = local.lots[repeat.index]
    }

    action "sleep" "pause" {
      for = param.pause
    }
  }

  result {
    lots    = length(local.lots)
    seconds = repeat.lot.elapsed_seconds
  }
}
