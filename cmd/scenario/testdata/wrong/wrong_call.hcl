scenario "s" {}

node "web" {
  image = "i"
}

locals {
  a = length(1)
  b = upper("a", "b")
  c = seconds("soon")
  d = file("there/is/none.txt")
}

# want: SCN0307 8 1
# want: SCN0307 9 upper("a", "b")
# want: SCN0307 10 "soon"
# want: SCN0309 11 "there/is/none.txt"
