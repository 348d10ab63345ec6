scenario "s" {}

node "web" {
  image = "i"
}

matrix {
  a = range(100)
  b = range(100)
  c = range(100)
}

action "sleep" "a" {
  for = "${matrix.a}s"
}

# want: SCN0411 7 matrix
