scenario "s" {}

node "web" {
  image = "i"
}

node "a" {
  image      = "i"
  depends_on = [node.b]
}

node "b" {
  image      = "i"
  depends_on = [node.a]
}

action "kil" "typo" {
  nodes = [node.a, node.d]
  when  = action.late.elapsed_seconds > "x"
}

action "kill" "outage" {
  nodes = [node.web]
}

action "exec" "inside" {
  node    = node.web
  command = ["true"]
}

assert "early" {
  condition = action.late.elapsed_secs < 1
}

action "sleep" "late" {
  for = "1x"
}

# want: SCN0504 7 node "a"
# want: SCN0208 17 "kil"
# want: SCN0203 18 node.d
# want: SCN0502 19 action.late.elapsed_seconds
# want: SCN0308 19 "x"
# want: SCN0507 26 action "exec" "inside"
# want: SCN0501 32 action.late.elapsed_secs
# want: SCN0209 32 elapsed_secs
# want: SCN0304 36 "1x"
