scenario "s" {}

node "web" {
  image = "i"
}

action "sleep" "a" {
  for        = "1s"
  on_failure = "go on"
}

# want: SCN0305 9 "go on"
