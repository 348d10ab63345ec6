scenario "s" {}

node "web" {
  image = "i"
}

assert "n" {
  condition = node.web.state ≠ "ready"
}

locals {
  a = 5 – 3
  b = 3 ≥ 2
  c = 3 ≤ 2
}

action "sleep" "n" {
  for = "1s – 2"
}

# want: SCN0304 18 "1s – 2"
# want: SCN0106 8 ≠
# want: SCN0106 12 –
# want: SCN0106 13 ≥
# want: SCN0106 14 ≤
