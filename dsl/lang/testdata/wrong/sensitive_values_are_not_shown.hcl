# --var pin=hunter2
scenario "s" {}

variable "token" {
  type      = string
  default   = "s3cret"
  sensitive = true
}

variable "pin" {
  type      = number
  sensitive = true
}

node "web" {
  image   = "i"
  restart = var.token
  grace   = var.token
}

locals {
  x = seconds(var.token)
}
