scenario "s" {}

node "web" {
  image = "i"
  ready = { tcp = 80 }
}
