scenario "s" {
  timeout = "20m"
}

repeat "r" {
  times = 3
  for   = "10m"

  action "sleep" "a" {
    for = "1s"
  }
}

# want: SCN0218 7 for
