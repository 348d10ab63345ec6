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

# want: SCN0201 10 env
