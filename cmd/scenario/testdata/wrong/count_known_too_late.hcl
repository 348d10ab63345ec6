scenario "s" {}

node "web" {
  image = "i"
}

action "exec" "x" {
  node    = node.web
  command = ["true"]
}

action "sleep" "s" {
  count = action.x.exit_code
  for   = "1s"
}

action "sleep" "t" {
  for_each = action.x.json
  for      = "1s"
}

repeat "r" {
  times = action.x.exit_code

  action "sleep" "u" {
    for = "1s"
  }
}

# want: SCN0401 13 action.x.exit_code
# want: SCN0401 18 action.x.json
# want: SCN0401 23 action.x.exit_code
