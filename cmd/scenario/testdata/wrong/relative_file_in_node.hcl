scenario "s" {}

node "n" {
  image = "busybox"
  files = { "etc/app.conf" = "x" }
  env   = { "A=B" = "x" }
}

# want: SCN0304 5 "etc/app.conf"
# want: SCN0304 6 "A=B"
