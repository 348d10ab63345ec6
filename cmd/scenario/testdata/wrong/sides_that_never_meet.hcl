# want: SCN0304 18 action "partition" "apart"
scenario "sides_that_never_meet" {}

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

action "partition" "apart" {
  sides = [node.n, [node.far]]
}
