scenario "s" {}

node "web" {
  image = "i"
}

matrix {
  a = [node.web.ip]
}

# want: SCN0401 8 node.web.ip
