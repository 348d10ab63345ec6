scenario "s" {}

node "web" {
  image = "i"
}

node "b" {
  image = "i"
  env   = { "" = "a", "B=C" = "d", GOOD = "e" }
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0304 9 ""
# want: SCN0304 9 "B=C"
