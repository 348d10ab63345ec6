scenario "s" {
  timeout = "20m"
}

action "sleep" "first" {
  for = "1s"
}

repeat "r" {
  for = "${action.first.elapsed_seconds}s"

  action "sleep" "a" {
    for = "1s"
  }
}

# want: SCN0401 10 action.first.elapsed_seconds
