scenario "s" {}

variable "pw" {
  type      = string
  sensitive = true
  default   = "hunter2secret"
}

node "web" {
  image = "img-${var.pw}"
}

# want: SCN0402 10 "img-${var.pw}"
