scenario "s" {}

node "web" {
  image = "i"
}

locals "x" {
  a = 1
}

matrix "m" {
  b = [1]
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0205 7 "x"
# want: SCN0205 11 "m"
