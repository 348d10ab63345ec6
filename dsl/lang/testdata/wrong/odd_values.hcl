scenario "s" {}

locals {
  a = scenario.nmae
  b = upper([1])
  c = [for x in 5 : x]
  d = { (null) = 1 }
  e = [1, 2][5]
  f = { a = 1 }["b"]
  g = null.x
  h = "%{if 5}a%{endif}"
  i = try()
  j = can(1, 2)
  k = try(tonumber("x"), tonumber("y"))
  l = { for x in ["a", "a"] : x => 1 }
  m = max([]...)
  n = "a".b
}
