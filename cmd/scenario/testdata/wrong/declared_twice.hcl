scenario "s" {}

node "web" {
  image = "i"
}

action "sleep" "a" {
  for = "1s"
}

action "note" "a" {
  values = {}
}

# want: SCN0207 11 "a"
