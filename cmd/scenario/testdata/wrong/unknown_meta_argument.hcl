scenario "s" {}

node "web" {
  image = "i"
}

action "sleep" "a" {
  for        = "1s"
  backgruond = true
}

# want: SCN0202 9 backgruond
