# args: --var-file testdata/wrong/lib/values.vars
scenario "s" {}

variable "pause" {
  type    = string
  default = "1s"
}

action "sleep" "a" {
  for = var.pause
}

# want: SCN0407 lib/values.vars:1 puase
