scenario "s" {}

node "web" {
  image = "i"
}

assert "condition" "a" {
  condition = true
}

# want: SCN0205 7 "a"
