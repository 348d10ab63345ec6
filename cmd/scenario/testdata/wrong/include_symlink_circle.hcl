include = ["lib/loop.hcl"]

scenario "s" {}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0101 1 "lib/loop.hcl"
