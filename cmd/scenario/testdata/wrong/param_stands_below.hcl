scenario "s" {}

define "action" "since" {
  param "step" { type = step }
  assert "short" { condition = param.step.elapsed_seconds < 3 }
}

action "since" "early" { step = action.late }
action "sleep" "late" { for = "1s" }

# want: SCN0501 8 action.late
