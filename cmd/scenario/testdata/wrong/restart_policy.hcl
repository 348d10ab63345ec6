scenario "s" {}

node "web" {
  image = "i"
}

node "b" {
  image   = "i"
  restart = "on_failure"
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0305 9 "on_failure"
