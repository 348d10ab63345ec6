scenario "s" {}

node "web" {
  image = "i"
}

action "exec" "x" {
  node    = node.web
  command = ["true"]
}

workload "http" "w" {
  url  = "http://${node.web.ip}/"
  rate = action.x.stdout
}

assert "a" {
  condition = action.x.stdout > 3
}

assert "b" {
  condition = max(action.x.stdout, 3) == 3
}

# want: SCN0301 14 action.x.stdout
# want: SCN0308 18 action.x.stdout
# want: SCN0307 22 action.x.stdout
