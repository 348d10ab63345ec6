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

# want: SCN0303 12 probe.p.status == "200"
# want: SCN0303 16 [probe.p.ok] == probe.p.ok
# want: SCN0303 20 probe.p.ok != 1
