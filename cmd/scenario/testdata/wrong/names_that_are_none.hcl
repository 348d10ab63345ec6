# want: SCN0304 15 action "dns_failure" "spaces"
# want: SCN0304 20 action "dns_failure" "none"
# want: SCN0305 28 "silence"
# want: SCN0304 31 action "dns_failure" "address"
# want: SCN0304 36 action "dns_failure" "abroad"
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

action "dns_failure" "address" {
  nodes = node.n
  names = ["10.0.0.1"]
}

action "dns_failure" "abroad" {
  nodes = node.n
  names = ["bücher.example"]
}
