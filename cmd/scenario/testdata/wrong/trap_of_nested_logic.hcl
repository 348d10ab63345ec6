scenario "s" {}

node "web" {
  image = "i"
}

probe "http" "p" {
  url = "http://${node.web.ip}/"
}

assert "a" {
  condition = (false && (true || probe.p.sttus == 200)) || !probe.p.status
}

# want: SCN0209 12 sttus
# want: SCN0302 12 probe.p.status
