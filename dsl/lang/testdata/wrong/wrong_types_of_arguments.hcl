scenario "s" {}

node "web" {
  image = "i"
}

action "exec" "x" {
  node    = "web"
  command = { a = "b" }
  env     = { A = ["b"] }
  timeout = 5
}

action "kill" "k" {
  nodes = [node.web, "web"]
}
