scenario "x" {}

action "note" "a" {
  values = [
    length(setproduct(range(1000), range(1000), range(1000))),
    format("%1000000000d", 1),
    indent(1000000000, "a\nb"),
    1 % 0,
  ]
}

# want: SCN0307 5 setproduct(range(1000), range(1000), range(1000))
# want: SCN0307 6 "%1000000000d"
# want: SCN0307 7 1000000000
# want: SCN0308 8 1 % 0
