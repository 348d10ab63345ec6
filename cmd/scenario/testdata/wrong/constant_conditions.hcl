scenario "s" {}

variable "strict" {
  type    = bool
  default = false
}

matrix {
  mode = ["fast", "slow"]
}

node "web" {
  count = 2
  image = "i"
}

probe "http" "p" {
  url = "http://${node.web[0].ip}/"
}

probe "logs" "l" {
  node  = node.web[0]
  match = "error"
}

locals {
  wanted = 2
}

assert "compared" {
  condition = 1 > 2
}

assert "never" {
  condition = false
}

assert "always" {
  condition = true
}

assert "counted" {
  condition = length([1, 2]) == 3
}

assert "called" {
  condition = startswith("abc", "b")
}

assert "left_from_a_search_for_a_mistake" {
  condition = probe.p.ok || true
}

assert "not_negative" {
  condition = length(probe.l.lines) >= 0
}

assert "of_nothing" {
  condition = alltrue([])
}

assert "where_the_run_must_not_come_to" {
  when      = !probe.p.ok
  condition = false
}

assert "of_a_variable" {
  condition = var.strict ? probe.p.ok : true
}

assert "of_what_the_file_says" {
  condition = length(node.web) == local.wanted && contains(["fast", "slow"], matrix.mode) && !can(var.strict.x)
}

assert "as_far_as_it_goes" {
  condition = 0.5 + 0.5 < probe.p.latency_seconds
}

# want: SCN0303 31 1 > 2
# want: SCN0303 35 false
# want: SCN0303 39 true
# want: SCN0303 43 length([1, 2]) == 3
# want: SCN0303 47 startswith("abc", "b")
# want: SCN0303 51 probe.p.ok || true
# want: SCN0303 55 length(probe.l.lines) >= 0
# want: SCN0303 59 alltrue([])
