scenario "s" {}

node "web" {
  image = "i"
}

locals {
  a = "${node.web.ip"
}

# want: SCN0106 8 ${
