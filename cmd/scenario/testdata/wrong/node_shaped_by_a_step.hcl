scenario "s" {}

action "note" "x" {
  values = { a = 1, b = 2 }
}

node "web" {
  for_each = action.x.values
  image    = "i"
  env      = { N = each.value }
}

action "note" "y" {
  for_each = action.x.values
  values   = each.value
}

# want: SCN0215 8 action.x.values
