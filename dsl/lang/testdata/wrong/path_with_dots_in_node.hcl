scenario "s" {}

node "n" {
  image = "busybox"
  files = { "/etc/../x" = "x" }
}
