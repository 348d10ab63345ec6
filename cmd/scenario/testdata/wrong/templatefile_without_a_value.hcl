scenario "s" {}

node "web" {
  image = "i"
}

locals {
  a = templatefile("lib/text.tmpl", { port = 80 })
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0309 8 "lib/text.tmpl"
