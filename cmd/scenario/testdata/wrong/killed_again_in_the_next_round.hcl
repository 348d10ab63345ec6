scenario "s" {}

node "a" {
  image = "i"
}

repeat "r" {
  for = "5m"

  action "sleep" "s" {
    for = "1s"
  }

  action "kill" "k" {
    nodes = [node.a]
  }
}

# want: SCN0506 14 action "kill" "k"
