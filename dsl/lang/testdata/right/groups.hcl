# What a repeat takes beside its rounds, and what is visible inside.

scenario "groups" {}

variable "storms" {
  type    = bool
  default = false
}

node "web" {
  count = 3
  image = "nginx"
}

action "note" "first" {
  values = { storms = var.storms }
}

repeat "storm" {
  description = "Only where storms are wanted"
  tags        = ["slow"]
  when        = action.first.attempts == 1 && var.storms
  timeout     = "2m"
  on_failure  = "continue"
  times       = 2

  action "pause" "shot" {
    nodes = [node.web[repeat.index]]
    for   = "1s"
  }
}

# A repeat of its own for each node; what is inside sees which.
repeat "each_node" {
  for_each   = node.web
  times      = 2
  background = true

  action "pause" "shot" {
    nodes = [each.value]
    for   = "1s"
  }

  action "note" "twice" {
    count  = repeat.index + 1
    values = { who = each.key, host = each.value.host, which = count.index }
  }
}

repeat "sized" {
  for_each = { few = 1, many = 3 }
  times    = each.value
  after    = [repeat.storm]

  action "note" "n" {
    values = { key = each.key }
  }
}

assert "all_done" {
  condition = repeat.each_node[2].state == "passed" && repeat.sized["many"].elapsed_seconds >= 0
}
