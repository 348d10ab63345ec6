scenario "s" {
  timeout = "20m"
}

repeat "r" {
  action "sleep" "a" {
    for = "1s"
  }
}

# want: SCN0204 5 repeat "r"
