scenario "s" {}

node "web" {
  image = "i"
  ready = { tcp = 80 }
}

# want: SCN0202 5 ready
