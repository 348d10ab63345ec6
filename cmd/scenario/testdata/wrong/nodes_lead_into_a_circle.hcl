scenario "s" {}

node "a" {
  image      = "i"
  depends_on = [node.b]
}

node "b" {
  image      = "i"
  depends_on = [node.c]
}

node "c" {
  image      = "i"
  depends_on = [node.b]
}

action "sleep" "s" {
  for = "1s"
}

# want: SCN0504 8 node "b"
