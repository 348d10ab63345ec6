scenario "s" {}

node "web" {
  image = "i"
}

action "sleep" "a" {
  for     = "-1s"
  timeout = "1 min"

  retry {
    attempts = 2
    backoff  = "fast"
  }
}

assert "b" {
  condition = scenario.run_id != ""
  within    = "0s"
  every     = "1"
  hold      = "1d"
}

node "c" {
  image        = "i"
  grace        = "x"
  stop_timeout = "1"
}

# want: SCN0304 8 "-1s"
# want: SCN0304 9 "1 min"
# want: SCN0304 13 "fast"
# want: SCN0304 19 "0s"
# want: SCN0304 20 "1"
# want: SCN0304 21 "1d"
# want: SCN0304 26 "x"
# want: SCN0304 27 "1"
