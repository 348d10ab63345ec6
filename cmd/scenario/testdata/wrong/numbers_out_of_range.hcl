scenario "s" {}

node "head" {
  image = "rayproject/ray:2.0"

  ray {
    role                = "head"
    num_cpus            = -1
    num_gpus            = -0.5
    object_store_memory = "1m"
    resources           = { disk = -1, tape = 0, net = -2 }
  }
}

action "exec" "fails" {
  node      = node.head
  command   = ["false"]
  exit_code = 256
}

# want: SCN0304 8 -1
# want: SCN0304 9 -0.5
# want: SCN0304 10 "1m"
# want: SCN0304 11 -1
# want: SCN0304 11 -2
# want: SCN0304 18 256
