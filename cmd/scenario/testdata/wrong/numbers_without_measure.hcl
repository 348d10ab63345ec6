scenario "s" {}

node "web" {
  image = "i"
}

locals {
  much = 1e999999999
}

action "note" "x" {
  values = local.much
}

# want: SCN0311 8 1e999999999
