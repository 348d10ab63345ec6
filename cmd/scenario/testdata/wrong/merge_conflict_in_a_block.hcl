# want: SCN0106 10 <<<<<<< HEAD
# want: SCN0203 20 node.none
scenario "s" {}

node "w" {
  image = "i"
}

action "kill" "a" {
<<<<<<< HEAD
  nodes = [node.w]
||||||| base
  nodes = node.w
=======
  nodes = [node.w, node.w]
>>>>>>> other
}

action "kill" "b" {
  nodes = [node.none]
}
