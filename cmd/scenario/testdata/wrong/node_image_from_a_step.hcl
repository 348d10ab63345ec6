scenario "s" {}

action "note" "a" {
  values = { b = 1 }
}

node "web" {
  image = action.a.values
}

# want: SCN0215 8 action.a.values
