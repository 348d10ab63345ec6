scenario "s" {}

node "web" {
  image = "i"
}

locals {
	a = "日本語"	+ local.b
	c = "é👍" == node.web.nmae
}

# want: SCN0308 8 "日本語"
# want: SCN0203 8 local.b
# want: SCN0209 9 nmae
