scenario "s" {}

node "web" {
  image = "i"
}

action "sleep" "A-b" {
  for = "1s"
}

# want: SCN0206 7 "A-b"
