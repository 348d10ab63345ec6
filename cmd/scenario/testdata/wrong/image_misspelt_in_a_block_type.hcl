scenario "s" {}

node "web" {
  image = "i"
}

nod "b" {
  image = "i"
}

action "pause" "p" {
  nodes = [node.b]
  for   = "1s"
}

# want: SCN0201 7 nod
