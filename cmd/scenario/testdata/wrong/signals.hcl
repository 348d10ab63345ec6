scenario "s" {}

node "web" {
  image = "i"
}

node "b" {
  image       = "i"
  stop_signal = "TERM"
}

action "kill" "k" {
  nodes  = [node.b]
  signal = "SIGKIL"
  for    = "1s"
}

# want: SCN0304 9 "TERM"
# want: SCN0304 14 "SIGKIL"
