scenario "s" {}

node "w" {
  image   = "i"
  command = ["sleep", null]

  ready {
    exec = []
  }
}

action "exec" "a" {
  node    = node.w
  command = []
}

action "exec" "b" {
  node    = node.w
  command = [""]
}

action "exec" "c" {
  node    = node.w
  command = ["echo", null, "a", null]
  env     = { A = null }
}

probe "exec" "p" {
  node    = node.w
  command = ["", "x"]
}

workload "exec" "t" {
  node    = node.w
  command = []
}

assert "asked" {
  condition = probe.p.ok
}

# want: SCN0310 5 null
# want: SCN0304 8 []
# want: SCN0304 14 []
# want: SCN0304 19 ""
# want: SCN0310 24 null
# want: SCN0310 24#2 null
# want: SCN0310 25 null
# want: SCN0304 30 ""
# want: SCN0304 35 []
