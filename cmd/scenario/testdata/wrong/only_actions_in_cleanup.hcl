scenario "s" {}

node "web" {
  image = "i"
}

cleanup {
  assert "a" {
    condition = true
  }

  action "sleep" "b" {
    background = true
    for        = "1s"
  }
}

# want: SCN0201 8 assert
# want: SCN0215 13 background
