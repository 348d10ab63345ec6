scenario "s" {}

node "web" {
  image = "i"
}

variable "v" {
  default = 1

  validation {
    condition = var.v > 0
  }
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0204 10 validation
