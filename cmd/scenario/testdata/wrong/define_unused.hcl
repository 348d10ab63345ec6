# A define is checked by the types of its params, whether it is used or not.
scenario "s" {}

node "web" { image = "i" }
action "sleep" "outside" { for = "1s" }

define "action" "a" {
  param "node" { type = node }
  param "nodes" { type = list(node) }
  param "count_" { type = number }
  param "traffic" { type = workload }
  param "step" { type = step }

  action "restart" "one" {
    for_each = param.nodes
    nodes    = each.value.adress
  }
  action "kill" "two" { nodes = node.web }
  action "note" "three" {
    values = [param.node.prt, param.count_.x, param.traffic.fail, param.step.nodes, param.cont]
  }
  assert "c" { condition = param.count_ }
  assert "d" { condition = during(param.traffic, param.step).failed == 0 }
  assert "e" { condition = during(param.node, action.two).failed == 0 }
  assert "f" {
    condition = action.outside.attempts == 1
    after     = [action.outside]
  }
  assert "g" { condition = scenario.name == "s" && action.one[0].attempts == "x" }
  result { x = action.one[0].stat }
}

# want: SCN0209 16 adress
# want: SCN0213 18 node.web
# want: SCN0209 20 prt
# want: SCN0209 20 x
# want: SCN0209 20 fail
# want: SCN0209 20 nodes
# want: SCN0203 20 param.cont
# want: SCN0302 22 param.count_
# want: SCN0315 23 param.step
# want: SCN0315 24 param.node
# want: SCN0213 26 action.outside
# want: SCN0213 27 action.outside
# want: SCN0213 29 scenario.name
# want: SCN0303 29 action.one[0].attempts == "x"
# want: SCN0209 30 stat
