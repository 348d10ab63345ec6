scenario "s" {}

node "web" {
  image = "i"
}

locals {
  a = { x = 1, x = 2 }
}

# want: SCN0409 8#2 x
