scenario "s" {}

node "web" {
  image = "i"
}

node "b" {
  count = length(scenario.run_id)
  image = "i"
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0401 8 length(scenario.run_id)
