scenario "s" {}

node "web" {
  count = 2
  image = "i"
}

action "delay" "too_long" {
  isolate = [node.web[0]]
  latency = "1m"
  for     = "1s"
}

action "delay" "nothing" {
  isolate = [node.web[0]]
  latency = "0s"
  for     = "1s"
}

action "delay" "before_it_is_sent" {
  isolate = [node.web[0]]
  latency = "10ms"
  jitter  = "20ms"
  for     = "1s"
}

action "rate_limit" "in_bytes" {
  isolate = [node.web[0]]
  rate    = "1mb"
  for     = "1s"
}

action "rate_limit" "standstill" {
  isolate = [node.web[0]]
  rate    = "0kbit"
  for     = "1s"
}

action "rate_limit" "no_links" {
  rate = "1mbit"
  for  = "1s"
}

# want: SCN0304 10 "1m"
# want: SCN0304 16 "0s"
# want: SCN0304 20 action "delay" "before_it_is_sent"
# want: SCN0304 29 "1mb"
# want: SCN0304 35 "0kbit"
# want: SCN0304 39 action "rate_limit" "no_links"
