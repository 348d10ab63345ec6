include = ["lib/none.hcl"]

scenario "s" {}

action "sleep" "a" {
  for = var.from_there
}

# want: SCN0101 1 "lib/none.hcl"
