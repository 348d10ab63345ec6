scenario "s" {}

variable "name" {
  type    = string
  default = null
}

locals {
  a = "name: ${var.name}"
  b = "${null} and ${null}"
  c = "%{for x in ["a", null]}${x}%{endfor}"
}

output "o" {
  value = "http://${var.name}:80/"
}

# want: SCN0310 9 var.name
# want: SCN0310 10 null
# want: SCN0310 10#2 null
# want: SCN0310 11#2 x
# want: SCN0310 15 var.name
