scenario "x" {}

variable "m" {
  type      = string
  default   = "hunter2"
  sensitive = true

  validation {
    condition     = length(var.m) == 1
    error_message = "bad ${var.m}"
  }
}

action "note" "a" {
  values = { (var.m) = 1 }.hunter
}

# want: SCN0406 5 "hunter2"
# want: SCN0209 15 hunter
