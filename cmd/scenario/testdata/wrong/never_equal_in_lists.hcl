scenario "s" {}

node "web" {
  image = "i"
}

action "pause" "k" {
  nodes = [node.web]
  for   = "1s"
}

assert "a" {
  condition = [action.k.nodes[0].name, "x"] == [1, "x"]
}

# want: SCN0303 13 [action.k.nodes[0].name, "x"] == [1, "x"]
