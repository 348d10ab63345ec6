scenario "s" {}

node "web" {
  image = "i"
}

node "b" {
  image = "i"

  ready {
    log = "[a"
  }
}

action "sleep" "a" {
  for = "1s"

  expect_error {
    match = "a**"
  }
}

locals {
  r = regex("(", "x")
}

# want: SCN0304 11 "[a"
# want: SCN0304 19 "a**"
# want: SCN0307 24 "("
