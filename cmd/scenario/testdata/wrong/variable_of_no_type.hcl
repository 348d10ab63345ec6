scenario "s" {}

variable "v" {
  type    = strnig
  default = "a"
}

# want: SCN0301 4 strnig
