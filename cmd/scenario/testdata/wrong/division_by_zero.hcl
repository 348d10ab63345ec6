scenario "s" {}

node "web" {
  image = "i"
}

locals {
  a = 1 / 0
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0308 8 1 / 0
