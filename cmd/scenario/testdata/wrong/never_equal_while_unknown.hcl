scenario "s" {}

node "web" {
  image = "i"
}

action "exec" "x" {
  node    = node.web
  command = ["true"]
}

assert "a" {
  condition = action.x.exit_code == "0" || action.x.stdout != 0 || action.x.state == true
}

# want: SCN0303 13 action.x.exit_code == "0"
# want: SCN0303 13 action.x.stdout != 0
# want: SCN0303 13 action.x.state == true
