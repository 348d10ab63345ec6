include = ["lib/steps.hcl"]

scenario "s" {}

variable "v" {
  default = 2
}
