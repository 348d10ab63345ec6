# The main job with Redis as the GCS's storage, as Ray's own tests have it: the head itself keeps nothing.

include = ["lib/ray.hcl"] # image.ray, image.redis and var.ray_version

scenario "ha_serve_redis" {
  description = "With its state in Redis, Serve keeps answering while the GCS is down, and takes a new config afterwards"
  tags        = ["ray", "serve", "ha", "redis"]
  timeout     = "5m"
}

node "redis" {
  image   = image.redis
  command = ["redis-server", "--bind", "0.0.0.0", "--protected-mode", "no"]

  ready {
    tcp = 6379
  }
}

node "head" {
  image = image.ray
  files = { "/app/pid.py" = file("apps/pid.py") }
  env   = { PYTHONPATH = "/app" }

  ray {
    role     = "head"
    num_cpus = 0 # replicas live on the worker only
    storage  = "redis"
    redis    = node.redis
  }
}

node "worker" {
  image = image.ray
  files = { "/app/pid.py" = file("apps/pid.py") }
  env   = { PYTHONPATH = "/app" }

  ray {
    role     = "worker"
    head     = node.head
    num_cpus = 4
  }
}

action "deploy_serve" "one_replica" {
  config = yamldecode(file("apps/pid.yaml"))
}

workload "http" "clients" {
  url     = "http://${node.worker.ip}:8000/pid"
  rate    = 20
  expect  = { status = 200 }
  capture = { pid = "pid" }
}

action "kill_gcs" "outage" {}

action "reconfig" "two_replicas" {
  background = true
  from       = node.worker
  deployment = "GetPID"
  options    = { num_replicas = 2 }
}

assert "serves_while_down" {
  condition = during(workload.clients, action.outage).failed == 0
  hold      = "5s"
}

assert "reconfig_is_waiting" {
  condition = action.two_replicas.state == "running"
}

action "restart_head" "back" {}

assert "two_replicas_answer" {
  condition = length(since(workload.clients, action.two_replicas).captured.pid) == 2
  within    = "30s"
}

assert "no_request_lost" {
  condition = workload.clients.failed == 0 && workload.clients.max_gap_seconds < 1
}

output "head_recovery_seconds" {
  description = "From the restart of the head until Serve's controller answered again"
  value       = action.back.elapsed_seconds
}
