scenario "s" {}

node "web" {
  image = "i"
}

node "b" {
  image = "i"

  ready "x" {
    tcp = 80
  }
}

action "pause" "p" {
  nodes = [node.b]
  for   = "1s"
}

# want: SCN0205 10 "x"
