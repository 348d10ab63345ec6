# sides keeps lists of nodes apart: one node is no list, and a word is no node.
scenario "s" {}

node "web" {
  count = 2
  image = "i"
}

action "partition" "one" {
  sides = node.web[0]
}

action "partition" "word" {
  sides = [node.web, ["web"]]
}

# want: SCN0301 10 node.web[0]
# want: SCN0301 14 "web"
