scenario "s" {
  timeout = "20m"
}

repeat "r" {
  for = "10m"

  action "sleep" "a" {
    for = ["1s"][repeat.index]
  }
}

# want: SCN0313 9 [repeat.index]
