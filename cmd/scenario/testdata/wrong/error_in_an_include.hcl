include = ["lib/wrong.hcl"]

scenario "s" {}

action "sleep" "a" {
  for = var.pause
}

# want: SCN0106 lib/wrong.hcl:2#2 =
