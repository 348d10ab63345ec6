scenario "s" {}

node "web" {
  image = "i"
}

action "kill" "k" {
  nodes = [node.web]
}

action "exec" "x" {
  node    = node.web
  command = ["true"]
}

# want: SCN0507 11 action "exec" "x"
