scenario "s" {}

node "web" {
  image = "i"
}

probe "http" "p" {
  url = "http://${node.web.ip}/"
}

assert "a" {
  condition = probe.p.status
}

action "sleep" "b" {
  when = probe.p.body
  for  = "1s"
}

# want: SCN0302 12 probe.p.status
# want: SCN0302 16 probe.p.body
