scenario "s" {}

node "web" {
  image = "i"
}

node "web" {
  image = "j"
  user  = node.wbe.name
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0207 7 "web"
# want: SCN0203 9 node.wbe
