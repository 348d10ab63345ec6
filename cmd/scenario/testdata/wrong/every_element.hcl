scenario "s" {}

node "web" {
  image   = "i"
  ports   = [99999, -1, "a", 80, null, "b"]
  command = ["run", ["twice"], {}]
  env     = { A = [1], B = "b", C = {} }

  ray {
    role      = "head"
    resources = { disk = "much", tape = -1, net = [] }
  }
}

action "http" "get" {
  url    = "http://${node.web.ip}/"
  expect = { status = 200, bdy = "x", jsn = {} }
}

# want: SCN0304 5 99999
# want: SCN0304 5 -1
# want: SCN0301 5 "a"
# want: SCN0301 5 "b"
# want: SCN0310 5 null
# want: SCN0301 6 ["twice"]
# want: SCN0301 6 {}
# want: SCN0301 7 [1]
# want: SCN0301 7 {}
# want: SCN0301 11 "much"
# want: SCN0304 11 -1
# want: SCN0301 11 []
# want: SCN0304 17 bdy
# want: SCN0304 17 jsn
