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
