scenario "s" {}

node "web" {
  image = "i"
}

action "sleep" "a" {
  count    = 2
  for_each = ["a"]
  for      = "1s"
}
