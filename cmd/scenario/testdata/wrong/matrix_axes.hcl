scenario "s" {}

matrix {
  storage = []
  sizes   = [1, 2, 1]
  kind    = "a"
  deep    = [["a"]]
}

# want: SCN0408 4 []
# want: SCN0409 5#2 1
# want: SCN0301 6 "a"
# want: SCN0301 7 ["a"]
