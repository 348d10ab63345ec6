scenario "s" {}

node "web" {
  image = "i"
}

matrix {
  a = [1]
}

matrix {
  b = [2]
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0211 11 matrix
