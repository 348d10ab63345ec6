scenario "s" {}

define "action" "nothing" {}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0212 3 define "action" "nothing"
