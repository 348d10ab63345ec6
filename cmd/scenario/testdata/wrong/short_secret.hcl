# args: --var pin=123
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

action "sleep" "s" {
  for = "1s"
}

# want: SCN0414 5 "abc"
# want: SCN0414 --var:1 123
