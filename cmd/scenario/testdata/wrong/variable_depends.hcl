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

# want: SCN0215 8 node.web.ip
# want: SCN0215 12 var.v
