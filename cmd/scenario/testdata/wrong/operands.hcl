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

# want: SCN0308 8 "a" + 1
# want: SCN0302 9 5
# want: SCN0308 10 true
# want: SCN0301 11 1 : []
