scenario "s" {}

node "n" {
  image = "busybox"
  files = { "etc/app.conf" = "x" }
  env   = { "A=B" = "x" }
}
