scenario "x" {}

assert "a" {
  condition  = scenario.run_id != ""
  throughout = action.b
}

action "sleep" "b" {
  for = "1s"
}

# want: SCN0501 5 action.b
