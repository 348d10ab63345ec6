include = ["lib/${var.name}.hcl", local.other]

scenario "s" {}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0107 1 "lib/${var.name}.hcl"
# want: SCN0107 1 local.other
