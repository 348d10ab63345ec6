scenario "s" {}

node "web" {
  image = "i"
}

action "kill_gcs" "outage" {}
