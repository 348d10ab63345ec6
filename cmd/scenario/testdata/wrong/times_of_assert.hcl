scenario "s" {}

node "web" {
  image = "i"
}

action "sleep" "nap" {
  background = true
  for        = "1s"
}

assert "a" {
  condition  = scenario.run_id != ""
  throughout = action.nap
  within     = "5s"
}

# want: SCN0218 15 within
