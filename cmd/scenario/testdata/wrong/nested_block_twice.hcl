scenario "s" {}

node "web" {
  image = "i"

  ready {
    tcp = 80
  }

  ready {
    tcp = 81
  }
}

# want: SCN0211 10 ready
