scenario "s" {}

node "web" {
  image = "i"
}

action "exec" "x" {
  node = node.web
  cmd  = ["true"]
}

# want: SCN0202 9 cmd
