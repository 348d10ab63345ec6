scenario "s" {}

node "web" {
  image = "i"
}

matrix {
  a = [node.web.ip]
}
