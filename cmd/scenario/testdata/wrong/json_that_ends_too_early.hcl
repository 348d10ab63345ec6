scenario "s" {}

node "web" {
  image = "i"
}

locals {
  a = jsondecode("{")
}

action "sleep" "n" {
  for = "${length(local.a)}s"
}

# want: SCN0307 8 "{"
