# want: SCN0304 19 0.00000001
# want: SCN0304 24 99.99999999
# want: SCN0304 29 "100gbit"
# want: SCN0304 35 "1ns"
# want: SCN0304 42 0.25
# want: SCN0304 47 "90000000g"
# want: SCN0304 55 0.00000001
scenario "faults_without_effect" {}

node "n" {
  count = 2
  image = "x"
}

# Faults so small, or limits so large, that nobody could tell them from none.

action "loss" "nothing" {
  isolate = [node.n[0]]
  percent = 0.00000001
}

action "loss" "everything" {
  isolate = [node.n[0]]
  percent = 99.99999999
}

action "rate_limit" "wide" {
  isolate = [node.n[0]]
  rate    = "100gbit"
}

action "delay" "steady" {
  isolate = [node.n[0]]
  latency = "1ms"
  jitter  = "1ns"
}

action "delay" "share" {
  isolate     = [node.n[0]]
  latency     = "10ms"
  jitter      = "5ms"
  correlation = 0.25
}

action "limit_memory" "all" {
  nodes  = [node.n[1]]
  memory = "90000000g"
}

action "chaos" "calm" {
  every = "1s"

  fault "loss" {
    isolate = node.n
    percent = 0.00000001
    for     = "1s"
  }
}
