# args: --var-file testdata/wrong/lib/blocks.vars
scenario "s" {}

variable "v" {
  default = 1
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0113 lib/blocks.vars:1 node "a"
