scenario "s" {}

node "web" {
  image = "i"
}

repeat "index" {
  times = 2

  action "sleep" "a" {
    for = "1s"
  }
}

# want: SCN0206 7 "index"
