define "action" "since" {
  param "step" { type = step }
  assert "short" { condition = param.step.elapsed_seconds < 3 }
}

action "since" "early" { step = action.late }
action "sleep" "late" {}
