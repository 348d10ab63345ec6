scenario "s" {}

cleanup {
  action "exec" "a" {
    node    = node.n
    command = ["true"]
    when    = action.b.elapsed_seconds > 1
  }

  action "sleep" "b" {
    for = "1s"
  }
}

node "n" {
  image = "i"
}

# want: SCN0501 7 action.b.elapsed_seconds
