# The header of a define says what it makes, and a name of its own.
scenario "s" {}

define "acton" "a" {}
define "action" {}
define "action" "Big" {
  action "sleep" "s" { for = "1s" }
}
define "action" "kill" {
  action "sleep" "s" { for = "1s" }
}
define "probe" "http" {
  result { x = 1 }
}
define "action" "twice" {
  action "sleep" "s" { for = "1s" }
}
define "action" "twice" {
  action "sleep" "s" { for = "1s" }
}
define "action" "nothing" {}
define "probe" "blind" {
  param "x" {}
}
define "probe" "busy" {
  colour = "red"
  action "sleep" "s" { for = "1s" }
  result "x" {
    a = 1
    b {}
  }
  result {}
}
