scenario "s" {}

node "web" {
  image = "i"
}

locals {
  a = substr("abc", 1)
  b = join()
  c = coalesce()
  d = max("a", 2)
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0307 8 substr("abc", 1)
# want: SCN0307 9 join()
# want: SCN0307 10 coalesce()
# want: SCN0307 11 "a"
