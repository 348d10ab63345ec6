node "a" {
  image = "i"
}

action "kill" "outage" {
  nodes = [node.a]
}

action "exec" "look" {
  node = node.a
}

action "kill" "again" {
  nodes = [node.a]
}
