# What Ray knows of its jobs lies in the GCS's storage: a job that ended before the head died must still be listed with its
# end, and the restarted head must take new ones. A driver on the worker that asks while the head is dead waits for it.

include = ["lib/ray.hcl"]

scenario "jobs" {
  description = "Ended jobs are remembered over the head's death, and a driver that asks meanwhile is answered"
  tags        = ["ray", "gcs", "jobs"]
  timeout     = "4m"
}

node "head" {
  image = image.ray

  ray {
    role     = "head"
    num_cpus = 0 # tasks run on the worker only
    storage  = "rocksdb"
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

locals {
  square = <<-EOT
    import json, ray

    @ray.remote
    def square(n):
        return n * n

    ray.init(log_to_driver=False)
    print(json.dumps({"square": ray.get(square.remote(12))}))
  EOT
}

action "submit_job" "before" {
  entrypoint = "python3 -c '${local.square}'"
  timeout    = "60s"
}

assert "computed" {
  condition = strcontains(action.before.logs, "{\"square\": 144}")
}

probe "ray_jobs" "ended" {
  status = "SUCCEEDED"
}

action "kill_gcs" "outage" {}

action "run_driver" "meanwhile" {
  background = true
  node       = node.worker
  code       = local.square
  timeout    = "90s"
}

action "sleep" "outage_lasts" {
  for = "3s"
}

assert "the_driver_waits" {
  condition = action.meanwhile.state == "running"
}

action "restart_head" "back" {}

assert "remembered" {
  condition     = contains(probe.ended.jobs[*].job_id, action.before.job_id)
  within        = "20s"
  error_message = "The restarted head does not know job ${action.before.job_id}, which ended before."
}

assert "answered" {
  condition = action.meanwhile.json.square == 144
  within    = "60s"
}
