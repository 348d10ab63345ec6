# want: SCN0304 13 action "dns_failure" "spaces"
# want: SCN0304 18 action "dns_failure" "none"
# want: SCN0305 26 "silence"
scenario "names_that_are_none" {}

node "n" {
  count = 2
  image = "x"
}

# Names that nobody could look up, and an answer that there isn't.

action "dns_failure" "spaces" {
  nodes = node.n
  names = ["redis", "http://redis"]
}

action "dns_failure" "none" {
  nodes = node.n
  names = []
}

action "dns_failure" "unknown_answer" {
  nodes = node.n
  names = ["redis"]
  with  = "silence"
}
