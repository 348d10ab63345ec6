scenario "s" {}

node "web" {
  image = "i"
}

action "sleep" "a" {
  for = null
}

action "kill" "k" {
  nodes = [null]
}
