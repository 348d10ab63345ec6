scenario "s" {}

matrix {
  a = range(101)
  b = range(100)
}
