scenario "s" {}

node "web" {
  image = "i"
}

node "b" {
  image      = "i"
  depends_on = ["web"]
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0301 9 "web"
