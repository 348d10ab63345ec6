scenario "s" {}

node "web" {
  image = "i"
}

action​ "sleep" "n" {
  for = "1s"
}

assert "a" {
  condition = node.web.state == "ready"
}

# want: SCN0106 7 ​
# want: SCN0106 12  
