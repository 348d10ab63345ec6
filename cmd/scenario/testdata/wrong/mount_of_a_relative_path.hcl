scenario "s" {}

node "a" {
  image  = "i"
  mounts = { "/data" = "./data:ro" }
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0304 5 "./data:ro"
