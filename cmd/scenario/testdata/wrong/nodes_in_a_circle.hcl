scenario "s" {}

node "a" {
  image      = "i"
  depends_on = [node.b]
}

node "b" {
  image      = "i"
  depends_on = [node.a]
}

action "sleep" "s" {
  for = "1s"
}

# want: SCN0504 3 node "a"
