include = ["lib/empty.hcl"]

scenario "s" {}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0103 1 "lib/empty.hcl"
