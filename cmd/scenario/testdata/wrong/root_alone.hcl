scenario "s" {}

node "web" {
  image = "i"
}

action "note" "n" {
  values = { all = node }
}

# want: SCN0217 8 node
