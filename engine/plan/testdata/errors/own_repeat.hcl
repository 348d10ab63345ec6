repeat "r" {
  times = 2

  action "sleep" "a" {
    for   = "1s"
    after = [repeat.r]
  }
}
