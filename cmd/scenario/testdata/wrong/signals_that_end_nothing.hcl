# What is to be killed must end, and by these signals nothing does.
scenario "s" {}

node "a" {
  image = "x"
}

node "b" {
  image = "x"
}

action "kill" "freeze" {
  nodes  = [node.a]
  signal = "SIGSTOP"
}

action "kill_process" "wake" {
  node   = node.b
  name   = "x"
  signal = "SIGCONT"
}

# want: SCN0304 12 action "kill" "freeze"
# want: SCN0304 17 action "kill_process" "wake"
