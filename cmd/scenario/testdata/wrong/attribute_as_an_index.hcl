scenario "s" {}

node "web" {
  image = "i"
}

node "many" {
  count = 2
  image = "i"
}

action "exec" "a" {
  node    = node.web
  command = ["true"]
}

locals {
  name = "exitcod"
}

assert "a" {
  condition = action.a["exitcod"] == 0
}

assert "b" {
  condition = node.web["a"].ip == ""
}

assert "c" {
  condition = node.many[0]["addres"] == "" || action.a[local.name] == 0
}

assert "d" {
  condition = lookup(action.a, "exitcod", 0) == 0
}

assert "e" {
  condition = alltrue([for n in node.many : n["hosst"] != ""])
}

assert "f" {
  condition = try(action.a["exitcod"], 0) == 0
}

assert "fine" {
  condition = action.a["exit_code"] == 0 && lookup(action.a, "exit_code", 0) == 0
}

# want: SCN0209 22 ["exitcod"]
# want: SCN0313 26 ["a"]
# want: SCN0209 30 ["addres"]
# want: SCN0209 30 [local.name]
# want: SCN0209 34 "exitcod"
# want: SCN0209 38 ["hosst"]
# want: SCN0209 42 ["exitcod"]
