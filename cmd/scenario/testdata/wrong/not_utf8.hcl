scenario "s" {}
# café

# want: SCN0104 2:6-7
