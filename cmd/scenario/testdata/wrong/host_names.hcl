scenario "s" {}

node "web" {
  image = "i"
}

node "b" {
  image    = "i"
  hostname = "my_host"
  aliases  = ["good.example", "bad alias", ""]
}

node "c" {
  image    = "i"
  hostname = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0304 9 "my_host"
# want: SCN0304 10 "bad alias"
# want: SCN0304 10 ""
# want: SCN0304 15 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
