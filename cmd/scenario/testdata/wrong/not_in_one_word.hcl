scenario "s" {}

node "web" {
  image = "i"
}

node "my node" {
  image = "i"
}

# want: SCN0206 7 "my node"
