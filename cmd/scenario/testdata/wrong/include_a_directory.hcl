include = ["lib"]

scenario "s" {}

# want: SCN0102 1 "lib"
