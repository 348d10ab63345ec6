scenario "s" {}

node "w" {
  count = 2
  image = "i"
}

action "partition" "a" {
  from = [node.w[0]]
  to   = [node.w[0], node.w[1]]
  for  = "1s"
}

action "partition" "b" {
  isolate = [node.w[0], node.w[0]]
  for     = "1s"
}

# want: SCN0304 8 action "partition" "a"
# want: SCN0409 15#2 node.w[0]
