scenario "s" {}

matrix {
  storage = ["a", "b"]
}

node "web" {
  image = matrix.storge
}

# want: SCN0203 8 matrix.storge
