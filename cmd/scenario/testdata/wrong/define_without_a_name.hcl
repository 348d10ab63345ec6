scenario "s" {}

node "web" {
  image = "i"
}

define "action" "" {}

define "action" "9" {}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0206 7 ""
# want: SCN0206 9 "9"
