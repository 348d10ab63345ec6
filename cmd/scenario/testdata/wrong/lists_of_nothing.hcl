scenario "s" {}

node "w" {
  count      = 2
  image      = "i"
  depends_on = []
}

locals {
  chosen = [for n in node.w : n if n.name == "x"]
}

action "kill" "a" {
  nodes = []
  for   = "1s"
}

action "restart" "b" {
  nodes = local.chosen
}

action "partition" "c" {
  isolate = [[]]
  for     = "1s"
}

action "heal" "d" {
  faults = []
}

action "partition" "e" {
  from = [node.w[0]]
  to   = []
  for  = "1s"
}

action "kill" "skipped" {
  when  = false
  nodes = []
}

# want: SCN0304 14 []
# want: SCN0304 19 local.chosen
# want: SCN0304 23 [[]]
# want: SCN0304 28 []
# want: SCN0304 33 []
