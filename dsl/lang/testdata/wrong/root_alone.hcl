scenario "s" {}

node "web" {
  image = "i"
}

action "note" "n" {
  values = { all = node }
}
