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
