scenario "s" {}

node "web" {
  image = "i"
}

locals {
  a = file("../../load.go")
  b = file("/etc/hosts")
  c = file("lib")
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0309 8 "../../load.go"
# want: SCN0309 9 "/etc/hosts"
# want: SCN0309 10 "lib"
