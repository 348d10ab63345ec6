scenario "s" {}

node "web" {
  image = "i"
}

assert "a" {
  condition = (true ? true : node.web.sate == "x") && (false ? 1 + "a" > 2 : true)
}

# want: SCN0209 8 sate
# want: SCN0308 8 1 + "a"
