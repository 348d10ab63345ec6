scenario "s" {}

node "web" {
  image = "i"
}

repeat "r" {
  times = 2

  action "sleep" "a" {
    for   = "1s"
    after = [repeat.r]
  }
}

# want: SCN0501 12 repeat.r
