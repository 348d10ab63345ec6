scenario "s" {}

node "web" {
  image = "i"
}

action "sleep" "x" {
  for = "1s"
}

assert "a" {
  condition = "a" == "b"
}

assert "b" {
  condition = 1 == 1.0 && action.x.attempts == 1
}

assert "c" {
  condition = "x" != "x" || true == false
}

# want: SCN0303 12 "a" == "b"
# want: SCN0303 16 1 == 1.0
# want: SCN0303 20 "x" != "x"
# want: SCN0303 20 true == false
