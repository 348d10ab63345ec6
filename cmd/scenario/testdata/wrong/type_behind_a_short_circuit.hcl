scenario "s" {}

node "web" {
  image = "i"
}

probe "http" "p" {
  url = "http://${node.web.ip}/"
}

assert "and" {
  condition = false && probe.p.status
}

assert "compare" {
  condition = true || probe.p.status == "200"
}

assert "arms" {
  condition = probe.p.ok ? probe.p.ok : [probe.p.ok]
}

# want: SCN0302 12 probe.p.status
# want: SCN0303 16 probe.p.status == "200"
# want: SCN0301 20 probe.p.ok : [probe.p.ok]
