scenario "s" {}

node "web" {
  image = "i"
}

action "kill" "k" {
  nodes = [node.web
}

action "start" "up" {
  nodes = [node.wbe]
}

# want: SCN0106 8 [
# want: SCN0203 12 node.wbe
