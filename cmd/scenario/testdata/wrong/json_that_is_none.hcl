scenario "s" {}

node "web" {
  image = "i"
}

locals {
  a = jsondecode("{")
  b = yamldecode("a: [")
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0307 8 "{"
# want: SCN0307 9 "a: ["
