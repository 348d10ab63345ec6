scenario "s" {}

node "web" {
  image = "i"
}

include = ["https://example.com/lib.hcl"]

action "sleep" "n" {
  for = "1s"
}

# want: SCN0107 7 "https://example.com/lib.hcl"
