# What is wrong with a define in one use only is shown in the define, and where
# it is used.
scenario "s" {}

node "web" {
  count = 2
  image = "i"
}
locals { first = node.web[0].name }

define "action" "outer" {
  param "times" { type = number }
  param "values" { type = any }
  action "inner" "x" {
    times = param.times
    what  = param.values
  }
}
define "action" "inner" {
  param "times" { type = number }
  param "what" { type = any }
  repeat "r" {
    times = param.times
    action "sleep" "h" { for = "1s" }
  }
  assert "small" { condition = param.what < 3 }
  assert "local" { condition = local.first == "x" }
}

action "note" "n" { values = { times = 3 } }
action "outer" "fine" {
  times  = 1
  values = 1
}
action "outer" "bad" {
  times  = action.n.attempts
  values = "many"
}

# want: SCN0401 23 param.times
# want: SCN0308 26 param.what
# want: SCN0213 27 local.first
