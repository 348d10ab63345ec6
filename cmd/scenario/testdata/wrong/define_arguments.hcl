# A use is checked like a built-in.
scenario "s" {}

node "web" {
  count = 2
  image = "i"
}

define "action" "roll" {
  param "nodes" { type = list(node) }
  param "limit" {
    type    = number
    default = 3
    validation {
      condition     = param.limit < 10
      error_message = "That many are never needed."
    }
  }
  param "until" {
    type    = step
    default = null
  }
  action "restart" "one" { nodes = param.nodes }
  action "note" "two" { values = param.limit }
  result { slowest_seconds = action.one.elapsed_seconds }
}

action "roll" "a" { node = node.web }
action "roll" "b" {
  nodes = "node.web"
  limit = 12
}
action "roll" "c" {
  nodes = node.web
  limit = "many"
  until = workload.w
}
action "rol" "d" { nodes = node.web }
action "roll" "e" {
  nodes = node.wbe
  until = 3
}
probe "roll" "f" { nodes = node.web }
output "o" { value = action.c.slowest_second }
output "p" { value = action.c.one.attempts }
output "q" { value = param.nodes }

# want: SCN0202 28 node
# want: SCN0301 30 "node.web"
# want: SCN0406 31 12
# want: SCN0301 35 "many"
# want: SCN0203 36 workload.w
# want: SCN0208 38 "rol"
# want: SCN0203 40 node.wbe
# want: SCN0306 41 3
# want: SCN0208 43 "roll"
# want: SCN0209 44 slowest_second
# want: SCN0209 45 one
# want: SCN0215 46 param.nodes
