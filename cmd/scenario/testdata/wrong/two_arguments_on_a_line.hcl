scenario "s" {}

node "web" {
  image = "i"
}

node "b" { image = "i", user = "u" }

# want: SCN0106 7 ,
