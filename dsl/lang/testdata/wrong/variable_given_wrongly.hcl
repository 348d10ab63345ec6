# --var n=many
# --var vv=1
# --var m=[1
scenario "s" {}

variable "n" {
  type    = number
  default = 1
}

variable "v" {
  default = 1
}

variable "m" {
  type    = list(number)
  default = []
}
