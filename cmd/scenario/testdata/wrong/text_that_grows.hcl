scenario "s" {}

node "web" {
  image = "i"
}

locals {
  a = "0123456789abcdef"
  b = "${local.a}${local.a}"
  c = "${local.b}${local.b}"
  d = "${local.c}${local.c}"
  e = "${local.d}${local.d}"
  f = "${local.e}${local.e}"
  g = "${local.f}${local.f}"
  h = "${local.g}${local.g}"
  i = "${local.h}${local.h}"
  j = "${local.i}${local.i}"
  k = "${local.j}${local.j}"
  l = "${local.k}${local.k}"
  m = "${local.l}${local.l}"
  n = "${local.m}${local.m}"
  o = "${local.n}${local.n}"
  p = "${local.o}${local.o}"
  q = "${local.p}${local.p}"
  r = "${local.q}${local.q}"
  s = "${local.r}${local.r}"
  t = "${local.s}${local.s}"
  u = "${local.t}${local.t}"
  v = "${local.u}${local.u}"
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0311 29 "${local.u}${local.u}"
