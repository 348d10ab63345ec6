action "sleep" "a" {
  for   = "1s"
  after = [action.a]
}
