scenario "s" {}

node "web" {
  image = "i"
}

matrix {
  size = [1, 2
}

action "sleep" "a" {
  for = "${matrix.size}s"
}

# want: SCN0106 8 [
