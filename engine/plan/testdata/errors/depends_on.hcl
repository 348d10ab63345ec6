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
