scenario "s" {}

node "head" {
  image = "i"

  ray {
    role = "head"
  }
}

action "deploy_serve" "app" {
  config = { applications = [{ name = "a" }] }
}

# want: SCN0304 12 { name = "a" }
