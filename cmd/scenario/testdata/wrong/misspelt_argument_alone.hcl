scenario "s" {}

image "i" {
  pul = "i"
}

node "web" {
  image = "i"

  ready {
    htp = ":80/"
  }
}

action "kill_process" "k" {
  node = node.web
  nmae = "nginx"
}

action "delay" "d" {
  isolat  = [node.web]
  latency = "10ms"
  for     = "1s"
}

assert "a" {
  condition = node.web.state == "ready"
  witin     = "5s"
  every     = "1s"
}

repeat "r" {
  tims = 3

  action "sleep" "s" {
    for = "1s"
  }
}

# want: SCN0202 4 pul
# want: SCN0202 11 htp
# want: SCN0202 17 nmae
# want: SCN0202 21 isolat
# want: SCN0202 28 witin
# want: SCN0202 33 tims
