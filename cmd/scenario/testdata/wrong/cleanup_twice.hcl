scenario "s" {}

node "web" {
  image = "i"
}

cleanup {
  action "sleep" "a" {
    for = "1s"
  }
}

cleanup {
  action "sleep" "a" {
    for = "1s"
  }
}

# want: SCN0211 13 cleanup
