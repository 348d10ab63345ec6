scenario "s" {}

node "web" {
  image = "i"
}

variable "n" {
  type = number
}

node "b" {
  count = var.n + 1
  image = "i"
}

action "sleep" "a" {
  for_each = range(var.n)
  for      = "${var.n}s"
  timeout  = "${var.n}s"
}

matrix {
  x = range(var.n)
}

# want: SCN0404 7 variable "n"
