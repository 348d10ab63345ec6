scenario "s" {}

node "head" {
  image = "i"

  ray {
    role = "head"
  }
}

probe "ray_nodes" "cluster" {}

assert "a" {
  condition = alltrue([for n in probe.cluster.nodes : n.stat == "ALIVE"])
}

assert "b" {
  condition = alltrue([for n in probe.cluster.nodes : n.state > 3 if n.is_hed])
}

# want: SCN0209 14 stat
# want: SCN0308 18 n.state
# want: SCN0209 18 is_hed
