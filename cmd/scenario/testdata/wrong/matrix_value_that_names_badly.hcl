scenario "s" {}

node "web" {
  image = "i"
}

matrix {
  a = ["x=y", "z"]
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0304 8 "x=y"
