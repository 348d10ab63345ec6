# args: --var n=many
# args: --var vv=1
# args: --var m=[1
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

# want: SCN0405 --var:1 many
# want: SCN0407 --var:2 vv
# want: SCN0405 --var:3 [1
