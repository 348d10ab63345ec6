scenario "s" {}

node "web" {
  image = "i"
}

action "sleep" "a" {
  count = 1000000
  for   = "1s"
}

repeat "r" {
  times = 1000000

  action "sleep" "b" {
    for = "1s"
  }
}

action "sleep" "c" {
  for_each = flatten([for i in range(1000) : [i, i]])
  for      = "1s"
}

# want: SCN0411 8 1000000
# want: SCN0411 13 1000000
# want: SCN0411 21 flatten([for i in range(1000) : [i, i]])
