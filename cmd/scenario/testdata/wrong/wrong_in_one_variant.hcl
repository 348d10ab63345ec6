scenario "s" {}

matrix {
  n = [1, 2]
}

node "web" {
  count = matrix.n
  image = "i"
}

action "pause" "p" {
  nodes = [node.web[1]]
}

# want: SCN0216 13 [1]
