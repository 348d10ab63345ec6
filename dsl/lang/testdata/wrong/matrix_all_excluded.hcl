scenario "s" {}

matrix {
  a = [1]

  exclude {
    a = 1
  }
}
