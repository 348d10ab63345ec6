scenario "s" {}

node "web" {
  image = "i"
}

action "sleep" "nap" {
  for = "1s"
}

assert "a" {
  condition = probe.nap.ok
}

# want: SCN0203 12 probe.nap
