scenario "s" {}

repeat "r" {
  times = 2
  when  = false

  action "note" "n" {
    values = { a = 1 }
  }
}
