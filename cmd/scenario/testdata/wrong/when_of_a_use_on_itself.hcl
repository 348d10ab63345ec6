scenario "s" {}

define "action" "a" {
  param "x" {
    type = bool
  }

  action "sleep" "f" {
    for = "1s"
  }

  result {
    y = action.f.state
  }
}

action "a" "u" {
  x    = action.u.y == "passed"
  when = action.u.y == "passed"
}

# want: SCN0501 18 action.u.y
