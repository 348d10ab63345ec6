scenario "s" {}

node "web" {
  image = "i"
}

action "sleep" "n" {
  for = 5
}

# want: SCN0304 8 5
