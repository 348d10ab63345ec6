include = ["lib/circle_a.hcl"]

scenario "s" {}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0108 lib/circle_b.hcl:1 "circle_a.hcl"
