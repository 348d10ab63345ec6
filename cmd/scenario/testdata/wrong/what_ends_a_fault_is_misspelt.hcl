scenario "s" {}

node "web" {
  image = "i"
}

action "kill" "k" {
  nodes = [node.web]
}

action "strat" "up" {
  nodes = [node.web]
}

action "exec" "x" {
  node    = node.web
  command = ["true"]
}

# want: SCN0208 11 "strat"
