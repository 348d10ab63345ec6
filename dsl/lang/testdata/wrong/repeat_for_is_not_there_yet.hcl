scenario "s" {}

node "web" {
  image = "i"
}

repeat "round" {
  for = "30m"

  action "sleep" "a" {
    for = "1s"
  }
}
