# args: --allow-outside
include = ["/dev/zero"]

scenario "s" {}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0105 2 "/dev/zero"
