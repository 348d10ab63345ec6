scenario "s" {}

node "web" {
  image = "i"
}

node "b" {
  image = "i
}

action "pause" "p" {
  nodes = [node.b]
}

# want: SCN0106 8:13-9:1
