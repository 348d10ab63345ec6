# Each chaos is wrong in one way.
# want: SCN0212 19 action "chaos" "empty"
# want: SCN0208 26 "pausse"
# want: SCN0208 35 "start"
# want: SCN0204 44 fault "pause"
# want: SCN0205 52 fault
# want: SCN0215 61 "chaos"
# want: SCN0202 71 nods
# want: SCN0304 81 "KILL"
# want: SCN0304 82 "0s"
scenario "chaos_blocks" {}

node "n" {
  count = 2
  image = "x"
}

# A chaos without faults.
action "chaos" "empty" {
  every = "1s"
}

action "chaos" "unknown" {
  every = "1s"

  fault "pausse" {
    nodes = node.n
    for   = "1s"
  }
}

action "chaos" "not_a_fault" {
  every = "1s"

  fault "start" {
    nodes = node.n
    for   = "1s"
  }
}

action "chaos" "endless" {
  every = "1s"

  fault "pause" {
    nodes = node.n
  }
}

action "chaos" "unlabelled" {
  every = "1s"

  fault {
    nodes = node.n
    for   = "1s"
  }
}

action "chaos" "nested" {
  every = "1s"

  fault "chaos" {
    every = "1s"
    for   = "1s"
  }
}

action "chaos" "misspelt" {
  every = "1s"

  fault "pause" {
    nods = node.n
    for  = "1s"
  }
}

action "chaos" "typed" {
  every = "1s"

  fault "kill" {
    nodes  = node.n
    signal = "KILL"
    for    = "0s"
  }
}
