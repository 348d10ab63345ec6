# Defines that are made of each other never end.
scenario "s" {}

define "action" "a" {
  action "b" "x" {}
}
define "action" "b" {
  repeat "r" {
    times = 2
    action "c" "x" {}
  }
}
define "action" "c" {
  action "a" "x" {}
}
define "action" "self" {
  action "self" "x" {}
}

action "a" "use" {}
output "o" { value = action.use.nothing }

# want: SCN0219 5 action "b" "x"
# want: SCN0219 17 action "self" "x"
