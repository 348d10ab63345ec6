scenario "s" {
  timeout = "20m"
}

repeat "r" {
  for = "10m"
}
