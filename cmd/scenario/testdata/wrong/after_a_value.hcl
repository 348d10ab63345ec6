scenario "s" {}

node "web" {
  image = "i"
}

action "sleep" "a" {
  after = ["b"]
  for   = "1s"
}

action "sleep" "c" {
  after = [node.web]
  for   = "1s"
}

# want: SCN0306 8 "b"
# want: SCN0315 13 node.web
