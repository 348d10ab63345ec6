scenario "s" {
  timeout = "1ns"
}

node "web" {
  count = 2
  image = "i"
}

probe "http" "p" {
  url     = "http://${node.web[0].ip}/"
  timeout = "10us"
}

action "delay" "unseen" {
  isolate = [node.web[0]]
  latency = "1ns"
  for     = "1s"
}

action "delay" "of_one_host" {
  isolate     = [node.web[0]]
  latency     = "500ms"
  correlation = 30
  for         = "1s"
}

action "delay" "of_more_than_all" {
  isolate     = [node.web[0]]
  latency     = "1ms"
  jitter      = "1ms"
  correlation = 101
  for         = "1s"
}

action "pause" "never" {
  nodes = [node.web[0]]
  for   = "0s"
}

action "kill" "at_once" {
  nodes = [node.web[1]]
  for   = "1us"
}

action "sleep" "not_at_all" {
  for = "-1s"
}

assert "polled" {
  condition = probe.p.ok
  within    = "5s"
  every     = "100us"
}

# want: SCN0304 2 "1ns"
# want: SCN0304 12 "10us"
# want: SCN0304 17 "1ns"
# want: SCN0304 21 action "delay" "of_one_host"
# want: SCN0304 32 101
# want: SCN0304 38 "0s"
# want: SCN0304 43 "1us"
# want: SCN0304 47 "-1s"
# want: SCN0304 53 "100us"
