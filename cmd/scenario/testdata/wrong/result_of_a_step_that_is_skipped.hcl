scenario "s" {}

node "web" {
  image = "i"
}

action "note" "x" {
  when   = false
  values = { a = 1 }
}

assert "a" {
  condition = action.x.values.a == 1
}

assert "b" {
  condition = action.x.state == "skipped"
}

# want: SCN0310 13 action.x.values.a
