scenario "s" {}

node "web" {
  image = "i"
}

locals {
  a = local.b # 	
}

action "sleep" "a" {
  for = "1s"
  until = 1
}

# want: SCN0203 8 local.b
# want: SCN0202 13 until
