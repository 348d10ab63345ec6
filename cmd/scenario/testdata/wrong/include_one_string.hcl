include = "lib/vars.hcl"

scenario "s" {}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0107 1 "lib/vars.hcl"
