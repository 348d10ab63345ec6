scenario "s" {}

node "web" {
  image = "i"
}

scenario "t" {}
