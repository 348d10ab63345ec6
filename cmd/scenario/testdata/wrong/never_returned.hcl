scenario "s" {}

node "web" {
  image = "i"
}

probe "http" "p" {
  url = "http://${node.web.ip}/"
}

probe "exec" "e" {
  node    = node.web
  command = ["cat", "/etc/hostname"]
}

variable "mode" {
  type    = string
  default = "slow"
}

assert "capitals" {
  condition = lower(probe.e.stdout) == "ABC" || "abc" == upper(var.mode)
}

assert "spaces" {
  condition = trimspace(probe.e.stdout) == "web\n"
}

assert "numbers" {
  condition = floor(probe.p.latency_seconds) == 1.5 && abs(probe.p.status) != -1
}

assert "order" {
  condition = sort(split(",", probe.e.stdout)) == ["b", "a"]
}

assert "as_they_should_be" {
  condition = lower(probe.e.stdout) == "abc" && sort(split(",", probe.e.stdout)) == ["a", "b"] && abs(probe.p.status) == 1
}

# want: SCN0303 22 lower(probe.e.stdout) == "ABC"
# want: SCN0303 22 "abc" == upper(var.mode)
# want: SCN0303 26 trimspace(probe.e.stdout) == "web\n"
# want: SCN0303 30 floor(probe.p.latency_seconds) == 1.5
# want: SCN0303 30 abs(probe.p.status) != -1
# want: SCN0303 34 sort(split(",", probe.e.stdout)) == ["b", "a"]
