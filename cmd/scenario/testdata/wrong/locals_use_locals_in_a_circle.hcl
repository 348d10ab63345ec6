scenario "s" {}

node "web" {
  image = "i"
}

locals {
  a = { b = local.a }
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0403 8 local.a
