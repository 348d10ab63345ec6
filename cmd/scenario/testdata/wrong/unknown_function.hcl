scenario "s" {}

node "web" {
  image = "i"
}

locals {
  x = lenght([1])
}

# want: SCN0210 8 lenght
