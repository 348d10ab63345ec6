action "sleep" "a" {
  for   = "1s"
  after = [action.b]
}

action "sleep" "b" {
  for   = "1s"
  after = [action.a]
}
