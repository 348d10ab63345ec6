scenario "s" {}

node "web" {
  image = "i"
}

locals {
  a = 1
  b = = 2
}

output "o" {
  value = local.a + local.b
}

# want: SCN0106 9#2 =
