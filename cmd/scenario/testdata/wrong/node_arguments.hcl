scenario "s" {}

network "back" {}

node "web" {
  image    = "i"
  memory   = "lots"
  restart  = "sometimes"
  mounts   = { "/data" = "volume.none", data = "/tmp:rw" }
  networks = ["back"]
  ports    = ["http"]

  ready {
    within = "5s"
  }
}

# want: SCN0304 7 "lots"
# want: SCN0305 8 "sometimes"
# want: SCN0304 9 "volume.none"
# want: SCN0304 9#2 data
# want: SCN0304 10 "back"
# want: SCN0301 11 "http"
# want: SCN0218 13 ready
