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
