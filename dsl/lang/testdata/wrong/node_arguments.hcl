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
