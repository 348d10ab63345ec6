scenario "s" {}

node "web" {
  image = "i"
}

action "copy" "missing" {
  node = node.web
  from = "there/is/none.conf"
  to   = "/etc/a"
}

action "copy" "directory" {
  node = node.web
  from = "lib"
  to   = "/etc/b"
}

action "copy" "outside" {
  node = node.web
  from = "/etc/hosts"
  to   = "/etc/c"
}

# want: SCN0309 9 "there/is/none.conf"
# want: SCN0309 15 "lib"
# want: SCN0110 21 "/etc/hosts"
