scenario "s" {}

node "web" {
  image = "i"
}

variable "v" {
  type = number]
}

output "o" {
  value = var.v
}

# want: SCN0106 8 ]
