include = ["lib/scenario.hcl"]

scenario "other" {}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0109 lib/scenario.hcl:1 scenario "other"
