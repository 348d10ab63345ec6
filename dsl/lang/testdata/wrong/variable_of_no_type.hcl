scenario "s" {}

variable "v" {
  type    = strnig
  default = "a"
}
