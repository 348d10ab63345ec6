# What a library's define holds isn't visible outside, nor what is outside in it.
include = ["lib/nap.hcl"]

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

# want: SCN0207 lib/nap.hcl:4 "twice"
# want: SCN0201 lib/nap.hcl:5 node
# want: SCN0201 lib/nap.hcl:6 output
# want: SCN0215 5 param.x
# want: SCN0213 9 action.inside
# want: SCN0308 14 action.n.address
