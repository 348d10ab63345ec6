scenario "s" {
  timeout = "20m"
}

repeat "r" {
  for = "10m"
}

# want: SCN0212 5 repeat "r"
