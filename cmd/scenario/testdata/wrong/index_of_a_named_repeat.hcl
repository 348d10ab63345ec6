scenario "s" {}

node "web" {
  image = "i"
}

repeat "outer" {
  times = 2

  repeat "inner" {
    times = 2

    action "sleep" "a" {
      for = "${repeat.outer.index + 1}s"
    }
    action "sleep" "b" {
      for = "${repeat.inner.index + 1}s"
    }
  }
}

action "sleep" "c" {
  for = "${repeat.outer.index + 1}s"
}

# want: SCN0215 14 repeat.outer.index
# want: SCN0215 17 repeat.inner.index
# want: SCN0209 23 index
