scenario "s" {}

node "web" {
  image = "i"
}

node "b" = {
  image = "i"
}

# want: SCN0106 7 =
