scenario "s" {}

node "web" {
  image = "i"
}

node "db" {
  count = 2
  image = "i"
}

action "kill" "a" {
  nodes = [node.web, node.web]
}

action "kill" "b" {
  after = [action.a]
  nodes = [node.db[0], node.db[1], node.db[0]]
}

# want: SCN0409 13#2 node.web
# want: SCN0409 18#2 node.db[0]
