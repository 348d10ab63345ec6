scenario "s" {}

node "web" {
  image = "i"
}

action "exec" "a" {
  node    = node.web
  command = ["echo" "a"]
}

# want: SCN0106 9#3 "
