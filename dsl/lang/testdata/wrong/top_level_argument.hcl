timeout = "5m"

scenario "s" {}

node "web" {
  image = "i"
}
