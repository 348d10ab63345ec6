scenario "s" {}

node "web" {
  image = "i"
}

node "b" {
  image = "i"

  env {
    A = "b"
  }
}
