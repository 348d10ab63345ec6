scenario "s" {}

variable "n" {
  type      = number
  default   = 2
  sensitive = true
}

node "web" {
  count = var.n
  image = "i"
}

# want: SCN0402 10 var.n
# want: SCN0414 5 2
