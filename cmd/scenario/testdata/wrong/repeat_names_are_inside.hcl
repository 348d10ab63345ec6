scenario "s" {}

node "web" {
  image = "i"
}

repeat "round" {
  times = 2

  action "sleep" "nap" {
    for = "1s"
  }
}

assert "a" {
  condition = action.nap.state == "passed"
}

assert "b" {
  condition = repeat.index == 1
}

# want: SCN0213 16 action.nap
# want: SCN0215 20 repeat.index
