scenario "s" {}

node "web" {
  image = "i"
}

acton "sleep" "a" {
  for = "1s"
}
