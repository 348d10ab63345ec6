scenario "s" {}

node 'web' {
  image = "i"
}

action "sleep" 'a' {
  for = "1s"
}

action "exec" "b" {
  node    = node.web
  command = ['true', "a"]
}

# want: SCN0106 3 'web'
# want: SCN0106 7 'a'
# want: SCN0106 13 'true'
