scenario "s" {}

node "web" {
  image = "i"
}

variable "v" {
  default   = ["a"]
  sensitive = true
}

matrix {
  a = var.v
}

action "sleep" "a" {
  for_each = toset(var.v)
  for      = "1s"
}

# want: SCN0402 13 var.v
# want: SCN0402 17 toset(var.v)
