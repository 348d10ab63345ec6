scenario "s" {}

node "web" {
  image = "i"
}

action "kill" "outage" {
  node = [node.web]
}
