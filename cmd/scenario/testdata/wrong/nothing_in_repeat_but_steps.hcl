scenario "s" {}

node "web" {
  image = "i"
}

repeat "round" {
  times = 2

  node "x" {
    image = "i"
  }
}

# want: SCN0201 10 node
