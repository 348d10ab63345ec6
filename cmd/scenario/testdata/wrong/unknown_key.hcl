scenario "s" {}

node "web" {
  for_each = toset(["left", "right"])
  image    = "i"
}

action "pause" "k" {
  nodes = [node.web["rihgt"], node.web.lft]
}

# want: SCN0216 9 ["rihgt"]
# want: SCN0216 9 lft
