scenario "s" {}

variable "v" {
  type = string
}
