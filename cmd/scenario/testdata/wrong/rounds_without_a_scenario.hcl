repeat "r" {
  for = "10m"

  action "sleep" "s" {
    for = "1s"
  }
}

action "sleep" "long" {
  for = "20m"
}

# want: SCN0111 1:1-1
