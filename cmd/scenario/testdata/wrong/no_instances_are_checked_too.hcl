scenario "s" {}

node "web" {
  count = 0
  image = 5 == "a"
}

action "sleep" "a" {
  when = false
  for  = probe.none.ok
}

# want: SCN0303 5 5 == "a"
# want: SCN0203 10 probe.none
