scenario "s" {}

probe "http" "a" {
  url = "http://:99999/"
}

probe "http" "b" {
  url = "http://web:99999/"
}

probe "http" "c" {
  url = "http://web:0/"
}

probe "http" "d" {
  url = "http://:80/"
}

action "http" "e" {
  url = "http://web:x/"
}

workload "http" "f" {
  urls = ["http://web:65536/", "http://web/", "web"]
  rate = 1
}

probe "http" "fine" {
  url = "http://[::1]:8080/a:99999"
}

assert "all" {
  condition = probe.a.ok && probe.b.ok && probe.c.ok && probe.d.ok && probe.fine.ok
}

# want: SCN0304 4 "http://:99999/"
# want: SCN0304 8 "http://web:99999/"
# want: SCN0304 12 "http://web:0/"
# want: SCN0304 16 "http://:80/"
# want: SCN0304 20 "http://web:x/"
# want: SCN0304 24 "http://web:65536/"
# want: SCN0304 24 "web"
