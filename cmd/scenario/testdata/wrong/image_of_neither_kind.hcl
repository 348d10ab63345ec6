scenario "s" {}

image "a" {}

image "b" {
  pull = "x"

  build {
    context = "."
  }
}

image "c" {
  build {
    context = "nowhere"
  }
}

image "d" {
  build {
    context = "../../../../.."
  }
}

# want: SCN0218 3 image "a"
# want: SCN0218 6 pull
# want: SCN0309 9 "."
# want: SCN0309 15 "nowhere"
# want: SCN0110 21 "../../../../.."
