scenario "s" {}

node "web" {
  count = 2
  image = "i"
}

probe "http" "p" {
  url = "http://${node.web.ip}/"
}

action "pause" "k" {
  nodes = [node.web[2]]
}
