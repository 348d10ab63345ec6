# --var pin=123
scenario "s" {}

variable "key" {
  default   = "abc"
  sensitive = true
}

variable "pin" {
  type      = number
  sensitive = true
}

variable "long_enough" {
  default   = "abcd"
  sensitive = true
}
