scenario "s" {}

node "web" {
  image = "i"
}

action "note" "f" {
  count  = 2
  values = 1
}

action "note" "g" {
  for_each = { "" = 1, "a b" = 2 }
  values   = each.value
}

assert "h" {
  condition = action.f[0].valus == 1 && action.g["x"].values == 1
}

assert "i" {
  condition = abs() == 1 && min(1, abs(1, 2, 3)) == 1
}

assert "j" {
  condition = can(regex("a(", "b")) || length(regexall("*", "b")) > 0
}

action "exec" "k" {
  node    = node.web
  command = ["true"]

  expect_error {
    match = "[z-a]"
  }
}

# want: SCN0209 18 valus
# want: SCN0216 18 ["x"]
# want: SCN0307 22 abs()
# want: SCN0307 22 abs(1, 2, 3)
# want: SCN0307 26 "*"
# want: SCN0304 34 "[z-a]"
