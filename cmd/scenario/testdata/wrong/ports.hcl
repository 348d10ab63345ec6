scenario "s" {}

node "web" {
  image = "i"
}

node "b" {
  image = "i"
  ports = [80, 0, 65536, 80, 1.5]

  ready {
    http = "8080/healthz"
  }
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0304 9#2 0
# want: SCN0304 9 65536
# want: SCN0304 9#2 80
# want: SCN0304 9 1.5
# want: SCN0304 12 "8080/healthz"
