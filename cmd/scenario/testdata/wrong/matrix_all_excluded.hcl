scenario "s" {}

matrix {
  a = [1]

  exclude {
    a = 1
  }
}

# want: SCN0410 3 matrix
