# What a library's define holds isn't visible outside, nor what is outside in it.
include = ["lib/use.hcl"]

scenario "s" {
  tags = [param.x]
}

action "nap" "n" {}
output "o" { value = action.inside.elapsed_seconds }
repeat "r" {
  times = 1
  action "nap" "again" {}
}
output "p" { value = action.n.address + 1 }
