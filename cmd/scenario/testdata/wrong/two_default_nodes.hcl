scenario "s" {}

node "head" {
  image = "i"

  ray {
    role = "head"
  }
}

node "other" {
  image = "i"

  ray {
    role = "head"
  }
}

action "kill_gcs" "outage" {}

# want: SCN0314 19 action "kill_gcs" "outage"
