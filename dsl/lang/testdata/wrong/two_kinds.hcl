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
