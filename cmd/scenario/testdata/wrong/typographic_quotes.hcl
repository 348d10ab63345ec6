scenario "s" {}

node "w" {
  image = “i”
}

action “kill” "a" {
  nodes = [node.w]
}

# want: SCN0106 4 “
# want: SCN0106 7 “
