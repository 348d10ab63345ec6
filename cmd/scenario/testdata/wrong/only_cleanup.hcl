scenario "s" {}

node "web" {
  image = "i"
}

cleanup {
  action "sleep" "b" {
    for = "1s"
  }
}

# want: SCN0508 1 scenario "s"
