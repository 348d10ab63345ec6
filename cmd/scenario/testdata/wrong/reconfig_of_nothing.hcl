scenario "s" {}

node "head" {
  image = "i"

  ray {
    role = "head"
  }
}

action "reconfig" "more" {}

# want: SCN0304 11 action "reconfig" "more"
