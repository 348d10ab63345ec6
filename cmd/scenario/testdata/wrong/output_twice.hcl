scenario "s" {}

node "web" {
  image = "i"
}

output "o" {
  value = 1
}

output "o" {
  value = 2
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0207 11 "o"
