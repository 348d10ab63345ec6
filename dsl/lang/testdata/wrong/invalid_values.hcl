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

action "block_port" "b" {
  isolate = [node.web]
  port    = 70000
}
