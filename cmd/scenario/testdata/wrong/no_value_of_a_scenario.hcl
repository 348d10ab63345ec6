scenario "s" {}

node "web" {
  image = "i"
}

output "o" {
  value = scenario.id
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0209 8 id
