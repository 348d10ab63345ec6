scenario "s" {}

node "web" {
  image = "i"
}

locals {
  a = local.b
  b = local.c + 1
  c = local.a
}

# want: SCN0403 10 local.a
