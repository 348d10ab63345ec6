# args: --var pin=hunter2
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

# want: SCN0405 --var:1 hunter2
# want: SCN0304 17 var.token
# want: SCN0304 18 var.token
# want: SCN0307 22 var.token
