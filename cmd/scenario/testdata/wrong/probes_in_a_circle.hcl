scenario "s" {}

node "web" {
  image = "i"
}

probe "http" "a" {
  url = probe.b.body
}

probe "http" "b" {
  url = probe.a.body
}

# want: SCN0403 7 probe "http" "a"
