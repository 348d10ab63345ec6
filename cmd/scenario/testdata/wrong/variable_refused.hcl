# args: --var v=3s
scenario "s" {}

variable "v" {
  type = string

  validation {
    condition     = seconds(var.v) >= 5
    error_message = "Too short to judge."
  }
}

variable "w" {
  type    = number
  default = 3

  validation {
    condition     = var.w > 5
    error_message = "Too few."
  }
}

# want: SCN0406 --var:1 3s
# want: SCN0406 15 3
