scenario "s" {}

node "web" {
  image = "i"
}

action "sleep" "a" {
  count    = 2
  for_each = ["a"]
  for      = "1s"
}

# want: SCN0218 9 for_each
