scenario "s" {}

action "sleep" "a" {
  for_each = toset([true, false])
  for      = "1s"
}

action "sleep" "b" {
  for_each = toset(["a", null])
  for      = "1s"
}

action "sleep" "c" {
  for_each = null
  for      = "1s"
}

# Right: whichever is picked, it has one element.
action "sleep" "d" {
  for_each = pick([["a"], ["b"]])
  for      = "1s"
}

# want: SCN0412 4 toset([true, false])
# want: SCN0412 9 toset(["a", null])
# want: SCN0412 14 null
