scenario "s" {}

node "web" {
  image = "i"
}

variable "v" {
  default = 1

  validation {
    condition     = node.web.name == "web"
    error_message = "no"
  }
}

action "sleep" "a" {
  for = "1s"
}

# want: SCN0215 11 node.web.name
