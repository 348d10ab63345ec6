scenario "s" {}

define "action" "self" {
  action "self" "x" {}
}

action "self" "a" {}

# want: SCN0219 4 action "self" "x"
