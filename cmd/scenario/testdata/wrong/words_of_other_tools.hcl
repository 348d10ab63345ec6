scenario "s" {}

include "lib" {
  path = "lib.hcl"
}

service "x" {
  image = "i"
}

node "w" {
  image       = "i"
  environment = { A = "1" }
  volumes     = ["/a:/b"]

  healthcheck {
    test = ["true"]
  }

  dynamic "x" {
    for_each = [1]
  }
}

action "sleep" "a" {
  for        = "1s"
  depends_on = [node.w]

  lifecycle {
    ignore_changes = []
  }
}

action "latency" "slow" {
  nodes = [node.w]
}

action "packet_loss" "lossy" {
  nodes = [node.w]
}

action "teleport" "nowhere" {
  nodes = [node.w]
}

node "v" {
  image = "i"

  environment {
    A = "1"
  }
}

# want: SCN0201 3 include
# want: SCN0201 7 service
# want: SCN0202 13 environment
# want: SCN0202 14 volumes
# want: SCN0201 16 healthcheck
# want: SCN0201 20 dynamic
# want: SCN0202 27 depends_on
# want: SCN0201 29 lifecycle
# want: SCN0208 34 "latency"
# want: SCN0208 38 "packet_loss"
# want: SCN0208 42 "teleport"
# want: SCN0201 49 environment
