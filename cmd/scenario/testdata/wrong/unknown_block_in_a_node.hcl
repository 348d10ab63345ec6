scenario "s" {}

node "web" {
  image = "i"
}

node "b" {
  image = "i"

  redy {
    tcp = 80
  }
}

action "pause" "p" {
  nodes = [node.b]
  for   = "1s"
}

# want: SCN0201 10 redy
