scenario "s" {
  timeout = "20m"
}

repeat "r" {
  for = "30m"

  action "sleep" "a" {
    for = "1s"
  }
}

# want: SCN0218 6 "30m"
