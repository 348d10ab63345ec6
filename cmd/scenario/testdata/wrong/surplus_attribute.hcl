scenario "s" {}

node "web" {
  image = "i"
}

workload "http" "clients" {
  url     = "http://${node.web.ip}/"
  rate    = 20
  expect  = { statsu = 200 }
}

action "kill" "outage" {
  nodes = [node.web]
}

# want: SCN0304 10 statsu
