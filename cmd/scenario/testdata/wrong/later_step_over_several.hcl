scenario "s" {}

action "sleep" "a" {
  for = "1s"
}

assert "early" {
  condition = action.late.elapsed_seconds < 3
}

action "sleep" "b" {
  for = "1s"
}

action "sleep" "late" {
  for = "1s"
}

# want: SCN0501 8 action.late.elapsed_seconds
