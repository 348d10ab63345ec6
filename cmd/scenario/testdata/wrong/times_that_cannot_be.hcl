scenario "s" {
  timeout = "5m"
}

node "w" {
  image = "i"
}

action "sleep" "a" {
  for     = "10s"
  timeout = "1s"
}

action "sleep" "b" {
  for = "20m"
}

assert "c" {
  condition = node.w.state == "ready"
  hold      = "6m"
}

assert "d" {
  condition = node.w.state == "ready"
  hold      = "10s"
  timeout   = "5s"
}

assert "e" {
  condition = node.w.state == "ready"
  every     = "1s"
}

assert "fine" {
  condition = node.w.state == "ready"
  within    = "20m"
  every     = "1s"
}

action "sleep" "until_stopped" {
  for        = "20m"
  background = true
}

action "sleep" "expected" {
  for     = "10s"
  timeout = "1s"

  expect_error {
    match = "time limit"
  }
}

action "sleep" "never" {
  when = false
  for  = "20m"
}

action "pause" "frozen" {
  nodes   = [node.w]
  for     = "3s"
  timeout = "3s"
}

# want: SCN0218 10 "10s"
# want: SCN0218 15 "20m"
# want: SCN0218 20 "6m"
# want: SCN0218 25 "10s"
# want: SCN0218 31 every
# want: SCN0218 61 "3s"
