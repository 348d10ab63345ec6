scenario "s" {}

variable "v" {
  type    = list(number)
  default = [1, "two"]
}

# want: SCN0405 5 "two"
