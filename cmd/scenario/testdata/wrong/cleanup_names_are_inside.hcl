scenario "s" {}

node "web" {
  image = "i"
}

cleanup {
  action "sleep" "a" {
    for = "1s"
  }
}

assert "b" {
  condition = action.a.state == "passed"
}

# want: SCN0213 14 action.a
