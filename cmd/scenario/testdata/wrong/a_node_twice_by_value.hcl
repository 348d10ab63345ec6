scenario "s" {}

node "a" {
  image = "i"
}

node "w" {
  image = "i"
  count = 3
}

locals {
  first = node.w[0]
  some  = [node.w[0], node.w[1]]
}

action "kill" "through_a_local" {
  nodes = [node.w[0], local.first]
}

action "start" "with_a_list" {
  nodes = [local.some, node.w[1]]
}

action "kill" "through_a_splat" {
  nodes = concat(node.w[*], [node.a, node.w[2]])
}

action "start" "through_a_loop" {
  nodes = [for i in [0, 1, 0] : node.w[i]]
}

define "action" "kill_all" {
  param "nodes" {
    type = list(node)
  }
  action "kill" "all" {
    nodes = param.nodes
  }
}

action "kill_all" "in_a_define" {
  nodes = [local.first, node.a, local.some[0]]
}

action "start" "all_up" {
  nodes = [node.a, node.w]
}

action "pause" "once" {
  nodes = [node.a, local.first, local.some[1]]
}

# want: SCN0409 18 local.first
# want: SCN0409 22 node.w[1]
# want: SCN0409 26 concat(node.w[*], [node.a, node.w[2]])
# want: SCN0409 30 [for i in [0, 1, 0] : node.w[i]]
# want: SCN0409 43 local.some[0]
