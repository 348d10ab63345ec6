scenario "s" {}

node "web" {
  image = "i"
}

locals {
  x = lenght([1])
}
