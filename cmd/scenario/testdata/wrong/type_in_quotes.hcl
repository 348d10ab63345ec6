scenario "s" {}

node "web" {
  image = "i"
}

variable "a" {
  type    = "string"
  default = "x"
}

variable "b" {
  type    = list("string")
  default = []
}

define "action" "wait" {
  param "who" { type = "node" }

  action "sleep" "a" {
    for = "1s"
  }
}

action "sleep" "b" {
  for = var.a
}

# want: SCN0301 8 "string"
# want: SCN0301 13 "string"
# want: SCN0301 18 "node"
