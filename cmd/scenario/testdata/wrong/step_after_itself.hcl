scenario "s" {}

node "web" {
  image = "i"
}

action "sleep" "a" {
  for   = "1s"
  after = [action.a]
}

# want: SCN0501 9 action.a
