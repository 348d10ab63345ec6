scenario "s" {}

node "web" {
  image = "i"
}

action "sleep" "a" {
  for = null
}

action "kill" "k" {
  nodes = [null]
}

# want: SCN0310 8 null
# want: SCN0310 12 null
