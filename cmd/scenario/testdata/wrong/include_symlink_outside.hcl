include = ["lib/outside.hcl"]

scenario "s" {}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0110 1 "lib/outside.hcl"
