scenario "s" {}

node "web" {
  image = "i"
}

locals {
  a = { x = 1, x = 2 }
}
