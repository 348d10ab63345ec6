scenario "s" {}

node "web" {
  image = "i"
}

action "exec" "a" {
  node    = node.web,
  command = ["true"]
}

# want: SCN0106 8 ,
