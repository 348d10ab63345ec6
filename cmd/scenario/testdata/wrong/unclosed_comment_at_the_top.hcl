# want: SCN0106 8 /*
scenario "s" {}

node "w" {
  image = "i"
}

/* later
action "restart" "r" {
  nodes = [node.w]
}
