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
