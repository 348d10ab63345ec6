scenario "s" {}

node "web" {
  image = "i"
}

define "action" "rolling" {}
