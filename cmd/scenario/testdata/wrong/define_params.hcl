# Params have types, defaults and names as arguments have.
scenario "s" {}

define "action" "a" {
  param "n" { type = nmber }
  param "when" { type = bool }
  param "twice" { type = string }
  param "twice" { type = string }
  param "d" {
    type    = number
    default = "many"
  }
  param "v" {
    type    = string
    default = var.x
  }
  param "w" {
    type    = workload
    default = "x"
  }
  param "t" {
    typ = string
    validation { condition = param.t }
  }
  param "u" {
    type = string
    validation {
      condition     = length(param.u) > 3 && action.s.attempts > 1
      error_message = "Too short."
    }
  }
  action "sleep" "s" { for = "1s" }
  result {
    state = 1
    Up    = 2
  }
}

variable "x" { default = 1 }

# want: SCN0301 5 nmber
# want: SCN0207 6 "when"
# want: SCN0207 8 "twice"
# want: SCN0301 11 "many"
# want: SCN0215 15 var.x
# want: SCN0215 19 "x"
# want: SCN0202 22 typ
# want: SCN0204 23 validation
# want: SCN0215 28 action.s.attempts
# want: SCN0207 34 state
# want: SCN0206 35 Up
