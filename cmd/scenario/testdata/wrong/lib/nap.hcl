define "action" "nap" {
  action "sleep" "inside" { for = "1s" }
  action "sleep" "twice" { for = "1s" }
  action "sleep" "twice" { for = "1s" }
  node "n" { image = "x" }
  output "y" { value = 1 }
}
