scenario "s" {}

node "web" {
  image = "i"
}

probe "http" "p" {
  url = "http://${node.web.ip}/"
}

assert "a" {
  condition = probe.p.status == "200"
}

assert "b" {
  condition = [probe.p.ok] == probe.p.ok
}

assert "c" {
  condition = probe.p.ok != 1
}
