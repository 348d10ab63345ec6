scenario "s" {}

node "web" {
  image = "i"
}

locals {
  a = 1
}

locals {
  a = 2
}

# want: SCN0207 12 a
