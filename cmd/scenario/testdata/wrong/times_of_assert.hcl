scenario "s" {}

node "web" {
  image = "i"
}

action "sleep" "nap" {
  background = true
  for        = "1s"
}

assert "a" {
  condition  = true
  throughout = action.nap
  within     = "5s"
}

# want: SCN0218 15 within
