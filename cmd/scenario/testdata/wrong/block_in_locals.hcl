scenario "s" {}

node "web" {
  image = "i"
}

locals {
  a {
    b = 1
  }
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0201 8 a
