scenario "s" {}

node "web" {
  image = "i"
}

image "up" {
  pull = "Nginx:1.29"
}

image "spaces" {
  pull = "nginx latest"
}

image "nothing" {
  pull = ""
}

node "b" {
  image = "nginx:"
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0304 8 "Nginx:1.29"
# want: SCN0304 12 "nginx latest"
# want: SCN0304 16 ""
# want: SCN0304 20 "nginx:"
