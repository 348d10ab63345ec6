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

action "sleep" "d" {
  for_each = pick([["a"], ["b"]])
  for      = "1s"
}
