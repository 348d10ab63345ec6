scenario "s" {}

node "web" {
  image = "i"
}

action "kill_gcs" "outage" {}

# want: SCN0314 7 action "kill_gcs" "outage"
