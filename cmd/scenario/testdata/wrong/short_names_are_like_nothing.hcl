scenario "s" {}

node "web" {
  image = "i"
}

action "sleep" "a" {
  for = "1s"
}

action "sleep" "c" {
  for   = "1s"
  after = [action.b]
}

action "sleep" "d" {
  for   = "1s"
  after = [action.s]
}

probe "tcp" "w" {
  target = "10.0.0.1:80"
}

assert "f" {
  condition = probe.w.state == "passed"
}

# want: SCN0203 13 action.b
# want: SCN0203 18 action.s
# want: SCN0209 26 state
