scenario "s" {}

matrix {
  a = range(101)
  b = range(100)
}

# want: SCN0411 3 matrix
