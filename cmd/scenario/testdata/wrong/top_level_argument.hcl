timeout = "5m"

scenario "s" {}

node "web" {
  image = "i"
}

# want: SCN0202 1 timeout
