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
