scenario "s" {}

node "web" {
  for_each = toset(["left", "right"])
  image    = "i"
}

action "pause" "k" {
  nodes = [node.web["rihgt"], node.web.lft]
}
