scenario "s" {}

variable "x" {
  default = 1

  validation {
    condition     = var.y > 0
    error_message = "y must be above 0"
  }

  validation {
    condition     = true
    error_message = "never shown"
  }

  validation {
    condition     = var.x < var.y
    error_message = " "
  }
}

variable "y" {
  default = 2
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0218 7 var.y > 0
# want: SCN0218 12 true
# want: SCN0304 18 " "
