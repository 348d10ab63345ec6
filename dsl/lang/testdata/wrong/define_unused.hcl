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
