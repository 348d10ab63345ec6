scenario "s" {}

node "web" {
  image = "i"
}

node "b" {
  image = "i"
  files = { "/a" = <<EOT
  text
  }
}

output "o" {
  value = lenght("")
}

# want: SCN0106 9:20-10:1
# want: SCN0210 15 lenght
