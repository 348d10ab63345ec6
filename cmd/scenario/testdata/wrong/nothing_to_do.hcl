scenario "s" {}

node "web" {
  image = "i"
}

# want: SCN0508 1 scenario "s"
