scenario "s" {}

node "web" {
  image = "i"
}

locals {
  a = "a" + "b"
  b = "http://" + node.web.ip + ":80"
  c = "1" - "2"
  d = "a" + 1 + "b"
  e = "a" + node.web.name + 1 + "b" + "c"
}

# want: SCN0308 8 "a" + "b"
# want: SCN0308 9 "http://" + node.web.ip + ":80"
# want: SCN0308 10 "1"
# want: SCN0308 10 "2"
# want: SCN0308 11 "a" + 1 + "b"
# want: SCN0308 12 "a" + node.web.name + 1 + "b" + "c"
