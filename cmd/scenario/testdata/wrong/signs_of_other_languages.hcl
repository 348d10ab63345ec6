scenario "s" {}

action "note" "a" {
  values = { n = 1 }
}

locals {
  a = true and false
  b = not true
  c = 1 === 1
  d = 1 !== 1
  e = action.a.values.n = 1
}

locals {
  f = action.a.values ?? 1
  g = true or false
  h = 1 <> 2
  i = if true then 1 else 2
  j = 1 in [1]
}

locals {
  k = null is null
  l = (true and false)
}

# want: SCN0106 8 and
# want: SCN0106 9 not
# want: SCN0106 10 ===
# want: SCN0106 11 !==
# want: SCN0106 12#2 =
# want: SCN0106 16 ??
# want: SCN0106 17 or
# want: SCN0106 18 <>
# want: SCN0106 19 if
# want: SCN0106 20 in
# want: SCN0106 24 is
# want: SCN0106 25 and
