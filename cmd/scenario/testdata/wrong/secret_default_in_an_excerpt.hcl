scenario "s" {}

node "web" {
  image = "i"
}

variable "token" {
  type      = number
  default   = "hunter2secret"
  sensitive = true
}

variable "other" {
  default   = "correct horse"
  sensitive = true

  validation {
    condition     = length(var.other) > 20
    error_message = "longer"
  }
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0405 9 "hunter2secret"
# want: SCN0406 14 "correct horse"
