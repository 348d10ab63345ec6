scenario "s" {}

node "web" {
  image = "i"
}

node "b" {
  image   = "i"
  cap_add = ["NET_ADMIN", "net_raw", "CAP_SYS_PTRACE", "NET_ADMN", "root"]
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0304 9 "NET_ADMN"
# want: SCN0304 9 "root"
