scenario "s" {}

node "web" {
  image = "i"
}

action "sleep" "a" {
  for = "1s"
}
}

action "sleep" "b" {
  for = 1x
}

# want: SCN0106 10 }
# want: SCN0106 13 x
