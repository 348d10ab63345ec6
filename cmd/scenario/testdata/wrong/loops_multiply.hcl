scenario "s" {}

locals {
  all  = range(1000)
  more = [for a in local.all : [for b in local.all : b]]
}

action "note" "n" {
  values = local.more[0]
}

# want: SCN0411 5 [for a in local.all : [for b in local.all : b]]
