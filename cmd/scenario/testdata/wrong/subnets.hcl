scenario "s" {}

node "web" {
  image = "i"
}

network "a" {
  subnet = "10.1.0.0/16"
}

network "b" {
  subnet = "10.1.2.0/24"
}

network "c" {
  subnet = "10.2.0.1/24"
}

network "d" {
  subnet = "10.3.0.0/30"
}

network "e" {
  subnet = "here"
}

network "f" {
  subnet = "fd00::/64"
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0218 12 "10.1.2.0/24"
# want: SCN0304 16 "10.2.0.1/24"
# want: SCN0304 20 "10.3.0.0/30"
# want: SCN0304 24 "here"
# want: SCN0304 28 "fd00::/64"
