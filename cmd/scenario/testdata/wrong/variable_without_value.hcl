scenario "s" {}

variable "v" {
  type = string
}

# want: SCN0404 3 variable "v"
