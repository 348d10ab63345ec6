scenario "s" {}

node "web" {
  image = "i"
}

workload "http" "a" {
  url  = "http://${node.web.ip}/"
  rate = 1
}

assert "b" {
  condition = action.a.state == "passed"
}

# want: SCN0203 13 action.a
