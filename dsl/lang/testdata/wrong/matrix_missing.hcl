scenario "s" {}

node "web" {
  image = matrix.storage
}
