# want: SCN0304 24 action "fill_disk" "own"
# want: SCN0304 30 action "fill_disk" "of_the_host"
# want: SCN0304 36 action "fill_disk" "endless"
# want: SCN0304 42 action "fill_disk" "leaves_all"
# want: SCN0506 54 action "fill_disk" "again"
scenario "disks_that_can_not_be_filled" {}

volume "small" { size = "8m" }

volume "endless" {}

node "n" {
  image  = "x"
  mounts = {
    "/small"         = volume.small
    "/small/endless" = volume.endless
    "/host"          = "/tmp:ro"
  }
}

# What is not on a volume with a size, what would be left anyway, and what is
# full already.

action "fill_disk" "own" {
  node = node.n
  path = "/smaller"
  for  = "1s"
}

action "fill_disk" "of_the_host" {
  node = node.n
  path = "/host/x"
  for  = "1s"
}

action "fill_disk" "endless" {
  node = node.n
  path = "/small/endless/x"
  for  = "1s"
}

action "fill_disk" "leaves_all" {
  node  = node.n
  path  = "/small"
  leave = "8m"
  for   = "1s"
}

action "fill_disk" "full" {
  node = node.n
  path = "/small/x"
}

action "fill_disk" "again" {
  node = node.n
  path = "/small"
}
