scenario "s" {}

node "web" {
  image = "i"
}

locals {
  x = nodes.web.ip
  y = variable.x
  z = hello
}
