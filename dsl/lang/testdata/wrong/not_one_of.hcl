scenario "s" {}

node "head" {
  image = "i"

  ray {
    role    = "had"
    storage = "disk"
  }
}
