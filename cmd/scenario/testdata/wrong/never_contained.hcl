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

variable "wanted" {
  type    = list(string)
  default = ["done", "over"]
}

variable "mode" {
  type    = string
  default = "slow"
}

assert "none_of_them" {
  condition = contains(["passd"], action.a.state)
}

assert "one_of_them" {
  condition = contains(["passed", "faild", "skiped"], action.a.state)
}

assert "none_of_a_list_that_is_given" {
  condition = contains(var.wanted, action.a.state)
}

assert "of_another_type" {
  condition = contains([200], tostring(probe.p.status))
}

assert "one_of_another_type" {
  condition = contains([200, "204"], probe.p.status)
}

assert "in_a_list_of_states" {
  condition = contains([for n in node.web : n.state], "up") || contains(node.web[*].state, "redy")
}

assert "as_they_should_be" {
  condition = contains(["passed", "failed"], action.a.state) && contains([200, 204], probe.p.status) && !contains(["fast"], var.mode) && contains(node.web[*].state, "ready")
}

# want: SCN0303 28 "passd"
# want: SCN0303 32 "faild"
# want: SCN0303 32 "skiped"
# want: SCN0303 36 contains(var.wanted, action.a.state)
# want: SCN0303 40 contains([200], tostring(probe.p.status))
# want: SCN0303 44 "204"
# want: SCN0303 48 "up"
# want: SCN0303 48 "redy"
