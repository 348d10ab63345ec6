scenario "s" {}

node "a_b" {
  image = "i"
}

node "a" {
  for_each = toset(["b"])
  image    = "i"
}

# want: SCN0207 7 "a"
