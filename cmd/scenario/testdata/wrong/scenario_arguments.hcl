scenario "s" {
  timeout         = "-5m"
  cleanup_timeout = 5
  seed            = 1.5
  tags            = "slow"
}

node "web" {
  image = "i"
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0304 2 "-5m"
# want: SCN0304 3 5
# want: SCN0304 4 1.5
# want: SCN0301 5 "slow"
