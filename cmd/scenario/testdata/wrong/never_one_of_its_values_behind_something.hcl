scenario "s" {}

node "web" {
  count = 2
  image = "i"
}

probe "http" "p" {
  url = "http://${node.web[0].ip}/"
}

action "sleep" "a" {
  for        = "1s"
  background = true
}

action "sleep" "b" {
  count      = 2
  for        = "1s"
  background = true
}

locals {
  s      = action.a.state
  states = [action.a.state, action.b[0].state]
  named  = "it is ${local.s}"
  mode   = "fast"
}

variable "mode" {
  type    = string
  default = "slow"
}

assert "through_a_local" {
  condition = local.s == "passd"
}

assert "in_a_list" {
  condition = anytrue([for s in [action.a.state, action.b[0].state] : s == "x"])
}

assert "in_a_list_of_a_local" {
  condition = alltrue([for i, s in local.states : s != "faild"])
}

assert "in_a_list_made_of_a_list" {
  condition = alltrue([for s in [for n in node.web : n.state] : s == "redy"])
}

assert "of_a_splat" {
  condition = anytrue([for s in action.b[*].state : s == "runing"])
}

assert "one_arm_or_the_other" {
  condition = (probe.p.ok ? action.a.state : "unreachable") == "unreacheable"
}

assert "or_something_else" {
  condition = try(action.a.state, "none") == "non"
}

assert "in_a_template" {
  condition = local.named == "it is passed." || "${action.a.state}" == "done"
}

assert "in_capitals" {
  condition = upper(action.a.state) == "passed" && replace(action.a.state, "ed", "ing") != "passed"
}

assert "by_an_index" {
  condition = [action.a.state, action.b[0].state][probe.p.status] == "cancel"
}

assert "as_they_should_be" {
  condition = local.s == "passed" && anytrue([for s in local.states : s == "failed"]) && upper(action.a.state) == "PASSED" && local.mode == var.mode
}

# want: SCN0303 36 local.s == "passd"
# want: SCN0303 40 s == "x"
# want: SCN0303 44 s != "faild"
# want: SCN0303 48 s == "redy"
# want: SCN0303 52 s == "runing"
# want: SCN0303 56 (probe.p.ok ? action.a.state : "unreachable") == "unreacheable"
# want: SCN0303 60 try(action.a.state, "none") == "non"
# want: SCN0303 64 local.named == "it is passed."
# want: SCN0303 64 "${action.a.state}" == "done"
# want: SCN0303 68 upper(action.a.state) == "passed"
# want: SCN0303 68 replace(action.a.state, "ed", "ing") != "passed"
# want: SCN0303 72 [action.a.state, action.b[0].state][probe.p.status] == "cancel"
