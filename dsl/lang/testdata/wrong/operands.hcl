scenario "s" {}

node "web" {
  image = "i"
}

locals {
  a = "a" + 1
  b = !5
  c = -true
  d = true ? 1 : []
  e = "${node.web}"
}
