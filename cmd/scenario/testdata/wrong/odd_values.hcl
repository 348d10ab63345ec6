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

# want: SCN0209 4 nmae
# want: SCN0307 5 [1]
# want: SCN0301 6 5
# want: SCN0310 7 null
# want: SCN0313 8 [5]
# want: SCN0313 9 ["b"]
# want: SCN0310 10 .x
# want: SCN0302 11 5
# want: SCN0307 12 try()
# want: SCN0307 13 can(1, 2)
# want: SCN0311 14 try(tonumber("x"), tonumber("y"))
# want: SCN0409 15#2 x
# want: SCN0307 16 max([]...)
# want: SCN0209 17 b
