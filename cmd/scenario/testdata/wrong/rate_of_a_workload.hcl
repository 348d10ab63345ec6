scenario "s" {}

node "web" {
  image = "i"
}

workload "http" "w" {
  url  = "http://${node.web.ip}/"
  rate = 0
}

workload "http" "x" {
  url  = "http://${node.web.ip}/"
  rate = "many"
}

# want: SCN0304 9 0
# want: SCN0301 14 "many"
