scenario "s" {
  timeout = "soon"
}

node "web" {
  iamge = "i"
}

action "kil" "outage" {}

assert "a" {
  condition = action.outge.state == 1 && node.web.i == node.wbe.ip
}

output "o" {
  value = unknown(1)
}

# want: SCN0304 2 "soon"
# want: SCN0202 6 iamge
# want: SCN0208 9 "kil"
# want: SCN0203 12 action.outge
# want: SCN0209 12:51-52
# want: SCN0203 12 node.wbe
# want: SCN0210 16 unknown
