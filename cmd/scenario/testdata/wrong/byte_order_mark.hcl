scenario "s" { tags = [local.x] }

action "slep" "a" {
  for = "1s"
}

# want: SCN0203 1 local.x
# want: SCN0208 3 "slep"
