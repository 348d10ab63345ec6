scenario "s" {}

node "web" {
  image = "i"
}

action "exec" "x" {
  node    = node.web
  command = ["true"]
}

assert "a" {
  condition = alltrue([for line in split("\n", action.x.stdout) : line > 3 && node.nope.ok])
}

# want: SCN0308 13#2 line
# want: SCN0203 13 node.nope
