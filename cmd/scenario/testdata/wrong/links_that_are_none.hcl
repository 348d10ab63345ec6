# want: SCN0304 19 action "partition" "ring"
# want: SCN0304 24 action "partition" "bridge"
scenario "links_that_are_none" {}

node "n" {
  count = 3
  image = "x"
}

node "far" {
  image    = "x"
  networks = [network.far]
}

network "far" {}

# Shapes and sides between which nothing passes that could be hit.

action "partition" "ring" {
  shape = "ring"
  nodes = node.n
}

action "partition" "bridge" {
  shape = "bridge"
  nodes = [node.n[0], node.n[1]]
}
