scenario "s" {}

node "web" {
  image = "i"
}

action "sleep" "a" {
  for = "1s"
  for = "2s"
}

# want: SCN0207 9 for
