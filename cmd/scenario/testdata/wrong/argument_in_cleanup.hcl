scenario "s" {}

node "web" {
  image = "i"
}

cleanup {
  timeout = "5s"

  action "sleep" "a" {
    for = "1s"
  }
}

# want: SCN0202 8 timeout
