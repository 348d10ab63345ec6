scenario "s" {}

node "web" {
  image = "i"
}

node "b" {
  image    = "i"
  cpus     = 0
  memory   = "5m"
  shm_size = "0"
}

volume "v" {
  size = "1 potato"
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0304 9 0
# want: SCN0304 10 "5m"
# want: SCN0304 11 "0"
# want: SCN0304 15 "1 potato"
