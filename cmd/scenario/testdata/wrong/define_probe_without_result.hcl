scenario "s" {}

node "web" {
  image = "i"
}

define "probe" "answers" {
  probe "tcp" "port" {
    target = "10.0.0.1:80"
  }
}

probe "answers" "one" {}

assert "up" {
  condition = probe.one.ok && probe.one.open
}

# want: SCN0212 7 define "probe" "answers"
