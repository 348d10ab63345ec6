scenario "s" {}

node "web" {
  image = "i"
}

assert "condition" "a" {
  condition = true
}
