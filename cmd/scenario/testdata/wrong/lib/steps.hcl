variable "v" {
  default = 1
}

action "sleep" "nap" {
  for = "1s"
}
