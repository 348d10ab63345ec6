scenario "s" {}

node "web" {
  image = "i"
}

node "b" {
  image = "i"

action "pause" "p" {
  nodes = [node.b, node.c]
}

# want: SCN0106 7 {
# want: SCN0203 11 node.c
