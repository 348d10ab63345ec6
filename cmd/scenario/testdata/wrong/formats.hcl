scenario "s" {}

node "web" {
  image = "i"
}

probe "http" "p" {
  url = "http://${node.web.ip}/"
}

locals {
  a = format("%d %s", 1)
  b = format("%s", "x", "y")
  c = format("a %k", 1)
  d = format("at %s by %d", node.web.name, "x")
  e = format("%s and %s", probe.p.body)
  f = formatlist("%s-%s", ["a", "b"])
  g = format("100%")
  h = format("\t%s")
  i = format("%s %d %t %5.1f %q", probe.p.body, probe.p.status, probe.p.ok, probe.p.latency_seconds, "x")
}

# want: SCN0307 12 %s
# want: SCN0307 13 "y"
# want: SCN0307 14 %k
# want: SCN0307 15 %d
# want: SCN0307 16#2 %s
# want: SCN0307 17#2 %s
# want: SCN0307 18 "100%"
# want: SCN0307 19 "\t%s"
