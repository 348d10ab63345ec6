scenario "s" {}

node "head" {
  image = "i"

  ray {
    role = "head"
  }
}

action "reconfig" "more" {
  deployment = "A"
  options    = { num_replica = 2, user_config = {} }
}

# want: SCN0304 13 num_replica
