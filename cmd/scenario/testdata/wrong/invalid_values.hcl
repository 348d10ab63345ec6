scenario "s" {}

node "web" {
  image = "i"
}

action "sleep" "a" {
  for     = "5 seconds"
  timeout = "0s"

  retry {
    attempts = 0
  }

  expect_error {
    match = "("
  }
}

action "kill" "k" {
  nodes  = [node.web]
  signal = "KILL"
}

node "far" {
  image = "i"

  ready {
    tcp = 70000
  }
}

# want: SCN0304 8 "5 seconds"
# want: SCN0304 9 "0s"
# want: SCN0304 12 0
# want: SCN0304 16 "("
# want: SCN0304 22 "KILL"
# want: SCN0304 29 70000
