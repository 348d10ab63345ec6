scenario "s" {}

node "web" {
  image = "i"
}

locals {
  x = nodes.web.ip
  y = variable.x
  z = hello
}

# want: SCN0203 8 nodes
# want: SCN0203 9 variable
# want: SCN0203 10 hello
