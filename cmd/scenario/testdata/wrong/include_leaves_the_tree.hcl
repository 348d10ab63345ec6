include = ["../script/none.hcl", "/etc/hosts"]

scenario "s" {}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0110 1 "../script/none.hcl"
# want: SCN0110 1 "/etc/hosts"
