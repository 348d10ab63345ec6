scenario "s" {}

node "web" {
  image = "i"
}

matrix {
  a = [1]
  b = [2]

  include {
    a = 5
  }

  exclude {}
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0413 11 include
# want: SCN0413 15 exclude
