scenario "s" {}

node "web" {
  image = "i"
}

locals {
  slow = action.late.elapsed_seconds > 3
}

assert "early" {
  condition = !local.slow
}

action "sleep" "late" {
  for = "1s"
}

# want: SCN0501 12 local.slow
