scenario "s" {}

matrix {
  storage = ["a", "b"]
}

node "web" {
  image = matrix.storge
}
