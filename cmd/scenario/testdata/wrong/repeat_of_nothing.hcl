scenario "s" {}

node "web" {
  image = "i"
}

repeat "r" {
  times = 3
}

# want: SCN0212 7 repeat "r"
