scenario "s" {}

node "web" {
  image = "i"
}

action "sleep" "a" {
  count = 2
  for   = each.value
}

action "sleep" "b" {
  for = "${count.index}s"
}

action "sleep" "c" {
  for_each = ["1s"]
  for      = each.valeu
}

# want: SCN0215 9 each.value
# want: SCN0215 13 count.index
# want: SCN0209 18 valeu
