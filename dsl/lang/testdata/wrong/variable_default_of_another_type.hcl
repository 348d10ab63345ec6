scenario "s" {}

variable "v" {
  type    = list(number)
  default = [1, "two"]
}
