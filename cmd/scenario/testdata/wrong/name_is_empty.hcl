scenario "x" {}

action "note" "" {
  values = 1
}

# want: SCN0206 3 ""
