scenario "s" {}

node "web" {
  image = "i"
}

locals {
  values = { a = "x }
}

action "sleep" "n" {
  for = "1s"
}

# want: SCN0106 8 "
