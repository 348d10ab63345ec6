scenario "s" {
  seed = 99999999999999999999999999999999
}

volume "v" {
  size = "0"
}

volume "tiny" {
  size = 5
}

node "w" {
  image    = "i"
  cpus     = 1e9
  shm_size = 5

  mounts = {
    "/a" = volume.v
    "/b" = volume.tiny
  }
}

action "limit_cpu" "a" {
  nodes = [node.w]
  cpus  = 5000
  for   = "1s"
}

# want: SCN0304 2 99999999999999999999999999999999
# want: SCN0304 6 "0"
# want: SCN0304 10 5
# want: SCN0304 15 1e9
# want: SCN0304 16 5
# want: SCN0304 26 5000
