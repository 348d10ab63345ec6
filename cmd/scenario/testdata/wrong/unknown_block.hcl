scenario "s" {}

node "web" {
  image = "i"
}

acton "sleep" "a" {
  for = "1s"
}

# want: SCN0201 7 acton
