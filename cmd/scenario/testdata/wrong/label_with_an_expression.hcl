scenario "s" {}

node "web" {
  image = "i"
}

variable "y" {
  default = "z"
}

probe "http" "${var.y}" {
  url = "http://${node.web.ip}:80/"
}

action "sleep" "n" {
  for = "1s"
}

# want: SCN0106 11 ${
