# Rounds for a time, with what a later round makes anew.

scenario "by_time" {
  timeout = "1h"
}

variable "minutes" {
  type    = number
  default = 30
}

node "web" {
  count = 3
  image = "nginx"
}

locals {
  now = [for n in node.web : n.state]
}

repeat "storm" {
  for        = "${var.minutes}m"
  when       = var.minutes > 0
  background = true

  action "pause" "shot" {
    nodes = [pick(node.web, repeat.index)]
    for   = "${1 + repeat.index % 3}s"
  }

  repeat "inner" {
    count = 1 + repeat.index % 2
    times = 2

    assert "shot" {
      condition = action.shot.state == "passed" && length(local.now) == 3
    }
  }
}

assert "enough" {
  condition = repeat.storm.rounds >= 10
}
