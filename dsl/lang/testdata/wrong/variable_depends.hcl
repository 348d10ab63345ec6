scenario "s" {}

node "web" {
  image = "i"
}

variable "v" {
  default = node.web.ip
}

variable "w" {
  default = var.v
}
