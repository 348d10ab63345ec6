scenario "s" {}

node "web" {
  image = "i"
}

action "sleep" "nap" {
  for = "1s"
}

assert "a" {
  condition  = scenario.run_id != ""
  throughout = action.nap
}

# want: SCN0218 13 action.nap
