scenario "s" {}

node "web" {
  image = "i"
}

matrix {
  a = ["", "z"]
  b = ["a\nb"]
  c = [" x"]
  d = ["x/../y"]
  e = ["a​b"]

  include {
    d = "\t"
  }
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0304 8 ""
# want: SCN0304 9 "a\nb"
# want: SCN0304 10 " x"
# want: SCN0304 12 "a​b"
