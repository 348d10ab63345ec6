# args: --var n=1e400
# args: --var any=abc
# args: --var names=a,b
# args: --var on=yes
# args: --var site={host="a",prot=1}
# args: --var other={}
scenario "s" {}

variable "n" {
  type    = number
  default = 1
}

variable "any" {
  default = 1
}

variable "names" {
  type    = list(string)
  default = []
}

variable "on" {
  type    = bool
  default = true
}

variable "site" {
  type    = object({ host = string, port = optional(number, 80) })
  default = { host = "a", poort = 1 }
}

variable "other" {
  type    = object({ host = string })
  default = { host = "a" }
}

variable "huge" {
  type    = list(number)
  default = [1, 1e400]
}

# want: SCN0405 --var:1 1e400
# want: SCN0405 --var:2 abc
# want: SCN0405 --var:3 a,b
# want: SCN0405 --var:4 yes
# want: SCN0405 --var:5 prot
# want: SCN0405 --var:6 {}
# want: SCN0405 30 poort
# want: SCN0311 40 1e400
