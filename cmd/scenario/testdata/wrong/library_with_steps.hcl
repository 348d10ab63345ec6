include = ["lib/steps.hcl"]

scenario "s" {}

variable "v" {
  default = 2
}

# want: SCN0112 lib/steps.hcl:5 action "sleep" "nap"
# want: SCN0207 5 "v"
