include = ["lib/scenario.hcl"]

scenario "s" {}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0109 lib/scenario.hcl:1 scenario "other"
