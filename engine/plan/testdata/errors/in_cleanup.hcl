cleanup {
  action "exec" "a" {
    node = node.n
    when = action.b.elapsed_seconds > 1
  }

  action "sleep" "b" {
    for = "1s"
  }
}

node "n" {
  image = "i"
}
