scenario "s" {}

node "web" {
  image = "i"
}

scenario "t" {}

# want: SCN0109 7 scenario "t"
