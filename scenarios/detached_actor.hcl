# A detached actor belongs to no driver. Its process lives on the worker and must go on while the head is dead; once the head
# is back, its name must lead to that very process.

include = ["lib/ray.hcl"]

scenario "detached_actor" {
  description = "A detached actor on a worker goes on counting while the head is dead, and is found again by its name"
  tags        = ["ray", "gcs", "actor"]
  timeout     = "4m"
}

node "head" {
  image = image.ray

  ray {
    role     = "head"
    num_cpus = 0 # the actor lives on the worker only
    storage  = "rocksdb"
  }
}

node "worker" {
  image = image.ray
  files = { "/app/counter.py" = file("apps/counter.py") }

  ray {
    role     = "worker"
    head     = node.head
    num_cpus = 1
  }
}

action "run_driver" "create" {
  node    = node.worker
  script  = "/app/counter.py"
  args    = ["start"]
  timeout = "60s"
}

# The actor writes this file twenty times a second; no part of Ray stands between it and the reader.
probe "exec" "counter" {
  node    = node.worker
  command = ["cat", "/tmp/counter.json"]
}

assert "counts_before" {
  condition = probe.counter.json.pid == action.create.json.pid && probe.counter.json.count > action.create.json.count + 20
  within    = "10s"
}

action "kill_gcs" "outage" {}

action "note" "at_death" {
  values = { count = probe.counter.json.count }
}

assert "counts_while_down" {
  condition = probe.counter.json.pid == action.create.json.pid && probe.counter.json.count > action.at_death.values.count + 60
  within    = "10s"
}

action "restart_head" "back" {}

action "run_driver" "ask" {
  node    = node.worker
  script  = "/app/counter.py"
  args    = ["ask"]
  timeout = "60s"
}

assert "same_actor" {
  condition     = action.ask.json.pid == action.create.json.pid && action.ask.json.count > action.at_death.values.count + 60
  error_message = "The actor that answers to the name is not the one that was created."
}

output "counted_while_down" {
  value = action.ask.json.count - action.at_death.values.count
}
