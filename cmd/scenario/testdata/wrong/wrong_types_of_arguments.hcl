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

# want: SCN0301 8 "web"
# want: SCN0301 9 { a = "b" }
# want: SCN0301 10 ["b"]
# want: SCN0304 11 5
# want: SCN0301 15 "web"
