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
