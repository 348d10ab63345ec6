# The work of ray_gcs_ha.hcl with Serve's REST API in place of drivers: what a scenario would use that need not be like its peer.

scenario "ray_gcs_ha_rest" {
  description = "The pytest of Ray's GCS fault tolerance, with both deployments by REST"
  tags        = ["ray", "serve", "peer"]
  timeout     = "5m"
}

variable "ray_image" {
  type        = string
  default     = "scenario-ray:bench"
  description = "Built by make bench-peer, so that both sides run the same image"
}

variable "redis_image" {
  type        = string
  default     = "scenario-redis:bench"
  description = "Built by make bench-peer"
}

locals {
  app = {
    files = { "/app/get_pid.py" = file("get_pid.py") }
    env   = { PYTHONPATH = "/app" }
  }
}

node "redis" {
  image   = var.redis_image
  command = ["redis-server", "--bind", "0.0.0.0", "--protected-mode", "no"]

  ready {
    tcp = 6379
  }
}

node "head" {
  image = var.ray_image
  files = local.app.files
  env   = merge(local.app.env, { RAY_SERVE_KV_TIMEOUT_S = "5" })

  ray {
    role     = "head"
    num_cpus = 0
    storage  = "redis"
    redis    = node.redis
  }
}

node "worker" {
  image = var.ray_image
  files = local.app.files
  env   = local.app.env

  ray {
    role     = "worker"
    head     = node.head
    num_cpus = 4

    # As the peer has it: the same processes on both sides.
    system_config = { prestart_worker_first_driver = "1" }
  }
}

action "start" "control" {
  nodes = [node.redis, node.head]
}

# Beside the head, and beside the deployment, which waits for the worker by itself.
action "start" "worker" {
  after      = []
  background = true
  nodes      = [node.worker]
}

action "deploy_serve" "one" {
  after  = [action.control]
  config = yamldecode(file("get_pid.yaml"))
}

action "exec" "check_one" {
  after   = [action.one, action.worker]
  node    = node.worker
  command = ["python", "-c", file("check.py"), "1"]
}

action "kill" "head_dies" {
  nodes = [node.head]
}

action "exec" "check_while_dead" {
  node    = node.worker
  command = ["python", "-c", file("check.py"), "1"]
}

# Tried again and again while nobody listens.
action "reconfig" "two" {
  background = true
  deployment = "GetPID"
  options    = { num_replicas = 2 }
}

action "start" "head_back" {
  nodes = [node.head]
}

action "exec" "check_two" {
  after   = [action.two, action.head_back]
  node    = node.worker
  command = ["python", "-c", file("check.py"), "2"]
}
