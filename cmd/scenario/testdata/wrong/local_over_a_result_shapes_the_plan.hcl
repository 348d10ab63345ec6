scenario "s" {}

node "web" {
  image = "i"
}

action "exec" "x" {
  node    = node.web
  command = ["true"]
}

locals {
  n = action.x.exit_code + 1
}

action "sleep" "a" {
  count = local.n
  for   = "1s"
}

# want: SCN0401 17 local.n
