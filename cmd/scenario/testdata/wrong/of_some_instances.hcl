scenario "s" {}

node "w" {
  image    = "i"
  count    = 3
  cpus     = count.index == 2 ? -1 : 1
  shm_size = "much"
}

action "sleep" "s" {
  for_each = { a = "1s", b = "soon", c = "soon" }
  for      = each.value
}

action "sleep" "many" {
  count = 6
  for   = count.index == 0 ? "1s" : "long"
}

repeat "rounds" {
  times = 3

  assert "settled" {
    condition = length(node.w) == 3
    within    = ["1s", "1s", "late"][repeat.index]
  }
}

define "action" "nap" {
  param "length" {
    type = string
  }
  action "sleep" "n" {
    for = param.length
  }
  action "sleep" "always" {
    count = 2
    for   = ["1s", "never"][count.index]
  }
}

action "nap" "naps" {
  for_each = ["1s", "enough"]
  length   = each.value
}

repeat "more" {
  times = 3

  action "note" "some" {
    for_each = repeat.index == 1 ? null : ["a"]
    values   = {}
  }
}

# want: SCN0304 6 count.index == 2 ? -1 : 1
# want: SCN0304 7 "much"
# want: SCN0304 12 each.value
# want: SCN0304 17 count.index == 0 ? "1s" : "long"
# want: SCN0304 25 ["1s", "1s", "late"][repeat.index]
# want: SCN0304 34 param.length
# want: SCN0304 38 ["1s", "never"][count.index]
# want: SCN0412 51 repeat.index == 1 ? null : ["a"]
