scenario "s" {}

matrix {
  storage = []
  sizes   = [1, 2, 1]
  kind    = "a"
  deep    = [["a"]]
}
