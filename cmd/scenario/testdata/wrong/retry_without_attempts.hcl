scenario "s" {}

node "web" {
  image = "i"
}

action "sleep" "a" {
  for = "1s"

  retry {
    backoff = "1s"
  }
}

# want: SCN0204 10 retry
