scenario "s" {}

node "head" {
  image = "i"

  ray {
    role    = "had"
    storage = "disk"
  }
}

# want: SCN0305 7 "had"
# want: SCN0305 8 "disk"
