scenario "s" {}

node "web" {
  image = "i"
}

probe "http" "p" {
  url = "localhost:80"
}

probe "tcp" "t" {
  target = "web"
}

assert "a" {
  condition = probe.p.ok && probe.t.ok
}

# want: SCN0304 8 "localhost:80"
# want: SCN0304 12 "web"
