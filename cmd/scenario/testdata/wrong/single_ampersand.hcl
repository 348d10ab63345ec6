scenario "s" {}

node "web" {
  image = "i"
}

assert "a" {
  condition = true & false
}

# want: SCN0106 8 &
