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
