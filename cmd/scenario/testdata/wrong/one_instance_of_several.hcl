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

# want: SCN0313 9 .ip
# want: SCN0216 13 [2]
