# Step for step what bench/peer/test_ray_gcs_ha.py does, for `make bench-peer` to time one against the other: so no traffic
# beyond the checks, and no hold. To learn what a failure of the head does to Serve, run ../ha_serve_redis.hcl.

scenario "ray_gcs_ha" {
  description = "Like for like with the pytest of Ray's GCS fault tolerance"
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

node "redis" {
  image   = var.redis_image
  command = ["redis-server", "--bind", "0.0.0.0", "--protected-mode", "no"]

  ready {
    tcp = 6379
  }
}

node "head" {
  image = var.ray_image
  env   = { RAY_SERVE_KV_TIMEOUT_S = "5" }

  ray {
    role     = "head"
    num_cpus = 0
    storage  = "redis"
    redis    = node.redis
  }
}

node "worker" {
  image = var.ray_image

  ray {
    role     = "worker"
    head     = node.head
    num_cpus = 4

    # As the peer has it: the same processes on both sides.
    system_config = { prestart_worker_first_driver = "1" }
  }
}

action "exec" "deploy_one" {
  node    = node.worker
  command = ["python", "-c", file("deploy.py"), "1"]
}

action "exec" "check_one" {
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

action "exec" "deploy_two" {
  background = true
  node       = node.worker
  command    = ["python", "-c", file("deploy.py"), "2"]
}

assert "deployment_is_waiting" {
  condition = action.deploy_two.state == "running"
}

action "start" "head_back" {
  nodes = [node.head]
}

action "exec" "check_two" {
  after   = [action.deploy_two, action.head_back]
  node    = node.worker
  command = ["python", "-c", file("check.py"), "2"]
}
