scenario "s" {}

node "web" {
  image = "i"
}

action "exec" "x" {
  node    = node.web
  command = ["true"]
}

node "late" {
  image = "i"
  env   = { A = action.x.stdout, B = node.web.state, C = node.web.ip }
}

# want: SCN0215 14 action.x.stdout
# want: SCN0215 14 node.web.state
