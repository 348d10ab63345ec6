# A restarted head goes on with the session of the dead one, whose name it finds in the GCS's storage: the workers' files
# and sockets lie in a directory of that name.

include = ["lib/ray.hcl"]

scenario "session_name" {
  description = "The session's name outlives the head"
  tags        = ["ray", "gcs"]
  timeout     = "4m"
}

matrix {
  storage = ["rocksdb", "redis"]
}

node "redis" {
  count   = matrix.storage == "redis" ? 1 : 0
  image   = image.redis
  command = ["redis-server", "--bind", "0.0.0.0", "--protected-mode", "no"]

  ready {
    tcp = 6379
  }
}

node "head" {
  image = image.ray

  ray {
    role     = "head"
    num_cpus = 0
    storage  = matrix.storage
    redis    = one(node.redis)
  }
}

node "worker" {
  image = image.ray

  ray {
    role     = "worker"
    head     = node.head
    num_cpus = 1
  }
}

probe "ray_gcs" "gcs" {
  head = node.head
}

probe "ray_nodes" "cluster" {
  head = node.head
}

# Where the worker keeps its own files: it was told the session's name when it joined.
probe "exec" "worker_session" {
  node    = node.worker
  command = ["readlink", "/tmp/ray/session_latest"]
}

assert "named_before" {
  condition = probe.gcs.up && probe.gcs.session != ""
  within    = "20s"
}

action "note" "before" {
  values = {
    session = probe.gcs.session
    worker  = trimspace(probe.worker_session.stdout)
  }
}

action "kill_gcs" "head_dies" {}

assert "head_is_gone" {
  condition = !probe.gcs.up
  within    = "5s"
}

action "restart_head" "back" {}

assert "same_session" {
  condition     = probe.gcs.session == action.before.values.session
  within        = "15s"
  error_message = "The head was ${action.before.values.session} and is ${probe.gcs.session} now."
}

assert "worker_still_in_it" {
  condition = probe.cluster.alive == 2 && trimspace(probe.worker_session.stdout) == action.before.values.worker
  within    = "15s"
}

output "session" {
  value = action.before.values.session
}
