scenario "s" {}

node "web" {
  image = "i"
}

action "kil" "a" {
  nodes      = [node.web, node.wbe]
  backgruond = true
  when       = 5
  timeout    = "soon"
}

assert "b" {
  condition = action.a.anything == 1
}

# want: SCN0208 7 "kil"
# want: SCN0203 8 node.wbe
# want: SCN0302 10 5
# want: SCN0304 11 "soon"
