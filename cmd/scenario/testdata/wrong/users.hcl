scenario "s" {}

node "web" {
  image = "i"
}

node "b" {
  image = "i"
  user  = "a user"
}

node "c" {
  image = "i"
  user  = "1000:"
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0304 9 "a user"
# want: SCN0304 14 "1000:"
