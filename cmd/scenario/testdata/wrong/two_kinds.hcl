scenario "s" {}

node "web" {
  image = "i"

  ray {
    role = "head"
  }

  ray {
    role = "worker"
  }
}

# want: SCN0211 10 ray
