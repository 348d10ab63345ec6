scenario "s" {}

node "web" {
  image = "i"
}

assert "condition" "a" {
  condition = scenario.run_id != ""
}

# want: SCN0205 7 "a"
