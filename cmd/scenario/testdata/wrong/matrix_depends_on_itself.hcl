scenario "s" {}

node "web" {
  image = "i"
}

matrix {
  a = [1, 2]
  b = [matrix.a]
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0403 9 matrix.a
