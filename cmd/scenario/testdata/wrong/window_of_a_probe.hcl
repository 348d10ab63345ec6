scenario "s" {}

node "web" {
  image = "i"
}

probe "http" "p" {
  url = "http://${node.web.ip}/"
}

action "kill" "k" {
  nodes = [node.web]
  for   = "1s"
}

assert "a" {
  condition = during(probe.p, action.k).failed == 0
}

# want: SCN0315 17 probe.p
