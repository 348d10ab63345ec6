scenario "s" {}

matrix {
  a = ["x"]

  include {
    a = "\t"
  }
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0304 7 "\t"
