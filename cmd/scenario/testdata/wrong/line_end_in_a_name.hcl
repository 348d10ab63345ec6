scenario "a\n" {}

action "sleep" "a\nb" {
  for = "1s"
}

# want: SCN0206 1 "a\n"
# want: SCN0206 3 "a\nb"
