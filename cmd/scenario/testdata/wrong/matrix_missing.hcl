scenario "s" {}

node "web" {
  image = matrix.storage
}

# want: SCN0203 4 matrix.storage
