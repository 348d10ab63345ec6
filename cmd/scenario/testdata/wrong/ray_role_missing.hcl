scenario "s" {}

node "head" {
  image = "i"

  ray {}
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0204 6 ray
