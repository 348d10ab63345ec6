scenario "x" {}

assert "a" {
  condition  = true
  throughout = action.b
}

action "sleep" "b" {
  for = "1s"
}

# want: SCN0501 5 action.b
