scenario "s" {}

node "web" {
  image = "i"
}

action "sleep" "x" {
  for        = "1s"
  background = true
}

locals {
  wanted = "passed"
}

assert "a" {
  condition = action.x.state == "runing"
}

assert "b" {
  condition = "ready " != node.web.state && (action.x.state == local.wanted || action.x.state == "pased")
}

assert "c" {
  condition = alltrue([for n in [node.web] : n.state == "up"])
}

# want: SCN0303 17 action.x.state == "runing"
# want: SCN0303 21 "ready " != node.web.state
# want: SCN0303 21 action.x.state == "pased"
# want: SCN0303 25 n.state == "up"
