# want: SCN0106 11 /*
scenario "s" {}

node "w" {
  image = "i"
}

action "kill" "k" {
  nodes = [node.w]

  /* for now
  for   = "1s"
}

action "restart" "r" {
  nodes = [node.w, 
}

assert "x" {
  condition = action.r.state == "passed" && node.none.ip == ""
}
