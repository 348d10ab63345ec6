# Arguments of chaos that can't hold together, and one that is no interval.
# want: SCN0304 15 action "chaos" "all_kept"
# want: SCN0304 26 action "chaos" "all_at_once"
# want: SCN0304 42 "0s"
# want: SCN0304 43 -1
# want: SCN0304 54 fault "partition"
scenario "chaos_floor" {}

node "n" {
  count = 3
  image = "x"
}

# keep leaves no node that could be hit.
action "chaos" "all_kept" {
  every = "1s"
  keep  = 3

  fault "pause" {
    nodes = node.n
    for   = "1s"
  }
}

# One of the faults alone hits more nodes than keep lets.
action "chaos" "all_at_once" {
  every = "1s"
  keep  = 1

  fault "partition" {
    sides = [[node.n[0]], [node.n[1], node.n[2]]]
    for   = "1s"
  }

  fault "pause" {
    nodes = node.n
    for   = "1s"
  }
}

action "chaos" "no_interval" {
  every = "0s"
  keep  = -1

  fault "pause" {
    nodes = node.n
    for   = "1s"
  }
}

action "chaos" "nothing_chosen" {
  every = "1s"

  fault "partition" {
    for = "1s"
  }
}
