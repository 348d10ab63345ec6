scenario "s" {}

node "web" {
  image = "i"
}

node "b" {
  image = "i"
  files = { "/proc/sys/x" = "1", "/dev" = "1", "/processes" = "1", "/" = "1" }
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0304 9 "/proc/sys/x"
# want: SCN0304 9 "/dev"
# want: SCN0304 9 "/"
