# want: SCN0106 8 <<<<<<< HEAD
scenario "s" {}

node "w" {
  image = "i"
}

<<<<<<< HEAD
action "kill" "a" {
  nodes = [node.w]
  for   = "1s"
}
=======
action "kill" "a" {
  nodes = node.w
  for   = "2s"
}

action "kill" "b" {
  nodes = node.w
}
>>>>>>> other

assert "x" {
  condition = action.b.state == "passed"
}
