scenario "s" {}

node "n" {
  image = "busybox"
  files = { "/etc/../x" = "x" }
}

# want: SCN0304 5 "/etc/../x"
