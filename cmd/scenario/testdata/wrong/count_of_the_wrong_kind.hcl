scenario "s" {}

node "web" {
  image = "i"
}

action "sleep" "a" {
  count = -1
  for   = "1s"
}

action "sleep" "b" {
  count = 1.5
  for   = "1s"
}

action "sleep" "c" {
  for_each = "abc"
  for      = "1s"
}

action "sleep" "d" {
  for_each = node.web
  for      = "1s"
}

action "sleep" "e" {
  count = 2000
  for   = "1s"
}

# want: SCN0412 8 -1
# want: SCN0412 13 1.5
# want: SCN0412 18 "abc"
# want: SCN0412 23 node.web
# want: SCN0411 28 2000
