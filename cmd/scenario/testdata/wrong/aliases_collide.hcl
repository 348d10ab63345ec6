scenario "s" {}

network "front" {}

network "back" {}

node "db" {
  image    = "i"
  networks = [network.back]
  aliases  = ["store"]
}

node "cache" {
  image    = "i"
  networks = [network.front, network.back]
  aliases  = ["fast", "db", "store"]
}

node "web" {
  count    = 2
  image    = "i"
  networks = [network.front]
  aliases  = ["site", "db", "web-0"]
}

node "lone" {
  image   = "i"
  aliases = ["cache"]
}

# want: SCN0207 16 "db"
# want: SCN0207 16 "store"
# want: SCN0207 23 "db"
# want: SCN0207 23 "web-0"
