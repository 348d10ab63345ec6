scenario "s" {}

node "web" {
  image = "i"
}

action "sleep" "a" {
  for = "1s" }

assert "b" {
  condition = node.web.addres == ""
}

# want: SCN0106 8 }
# want: SCN0209 11 addres
