scenario "s" {}

/* later:

action "restart" "r" {
  nodes = [node.w
}

*/

node "w" {
  image = "i
}

# want: SCN0106 12:13-13:1
