scenario "s" {}

node "web" {
  image = "i"
}

action "sleep" "a" "b" {
  for     = "1x"
  timeout = "0s"
}

assert "c" {
  condition = action.a.state == "passed"
}

# want: SCN0205 7 "b"
# want: SCN0304 8 "1x"
# want: SCN0304 9 "0s"
