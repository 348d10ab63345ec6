scenario "s" {}

node "web" {
  count = 0
  image = 5 == "a"
}

action "sleep" "a" {
  when = false
  for  = probe.none.ok
}
