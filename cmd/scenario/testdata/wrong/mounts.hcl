scenario "s" {}

node "web" {
  image = "i"
}

volume "data" {}

node "b" {
  image  = "i"
  mounts = { "/" = volume.data, "/a/" = volume.data, "/b" = "/tmp", "/c" = volume.dta }
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0304 11 "/"
# want: SCN0304 11 "/a/"
# want: SCN0304 11 "/tmp"
# want: SCN0203 11 volume.dta
