scenario "s" {}

node "web" {
  image = "i"
}

locals {
  a = "nodes: ${[node.web.name]}"
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0301 8 [node.web.name]
