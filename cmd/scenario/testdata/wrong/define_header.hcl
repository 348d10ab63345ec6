# The header of a define says what it makes, and a name of its own.
scenario "s" {}

define "acton" "a" {}
define "action" {}
define "action" "Big" {
  action "sleep" "s" { for = "1s" }
}
define "action" "kill" {
  action "sleep" "s" { for = "1s" }
}
define "probe" "http" {
  result { x = 1 }
}
define "action" "twice" {
  action "sleep" "s" { for = "1s" }
}
define "action" "twice" {
  action "sleep" "s" { for = "1s" }
}
define "action" "nothing" {}
define "probe" "blind" {
  param "x" {}
}
define "probe" "busy" {
  colour = "red"
  action "sleep" "s" { for = "1s" }
  result "x" {
    a = 1
    b {}
  }
  result {}
}

# want: SCN0208 4 "acton"
# want: SCN0205 5 define "action"
# want: SCN0206 6 "Big"
# want: SCN0207 9 "kill"
# want: SCN0207 12 "http"
# want: SCN0207 18 "twice"
# want: SCN0212 21 define "action" "nothing"
# want: SCN0212 22 define "probe" "blind"
# want: SCN0202 26 colour
# want: SCN0201 27 action
# want: SCN0205 28 "x"
# want: SCN0201 30 b
# want: SCN0211 32 result
