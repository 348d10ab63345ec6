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
