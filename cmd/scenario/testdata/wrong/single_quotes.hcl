scenario "s" {}

node "web" {
  image = "i"
}

action "sleep" "a" {
  for = '1s'
}

# want: SCN0106 8 '1s'
