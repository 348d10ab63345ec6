scenario "s" {}

action "sleep" "f" {
  when = action.f.state == "passed"
  for  = "1s"
}

# want: SCN0501 4 action.f.state
