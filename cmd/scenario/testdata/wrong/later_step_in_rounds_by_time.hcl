scenario "s" {}

repeat "r" {
  for = "5m"

  action "sleep" "s" {
    for   = "1s"
    after = [action.t]
  }

  action "sleep" "t" {
    for = "1s"
  }
}

# want: SCN0501 8 action.t
