scenario "s" {}

node "web" {
  image = "i"
}

action "exec" "x" {
  node    = node.web
  command = ["true"]
}

action "sleep" "s" {
  for     = "1s"
  timeout = "${action.x.exit_code}s"
}

# want: SCN0401 14 action.x.exit_code
