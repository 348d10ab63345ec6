scenario "s" {}

node "web" {
  image = "i"
}

define "action" "often" {
  param "t" {
    type    = number
    default = null
  }
  repeat "r" {
    times = param.t
    action "sleep" "a" {
      for = "1s"
    }
  }
}

action "often" "x" {}

action "often" "y" {
  t = null
}

action "often" "z" {
  t = 2
}

# want: SCN0310 13 param.t
