# Ray Serve must answer every request while the head's GCS is dead, and take a new config once the head is back.
#
# The first run builds Ray's image from images/ray beside this file: about 700 MB and a minute. Plan for 2 cores and 3 GB of
# memory. `scenario plan` shows the steps without starting anything; `scenario explain kill_gcs` tells about one, and so for
# every other word.

scenario "NAME" {
  description = "Serve keeps answering while the GCS is down"
  tags        = ["ray", "serve", "ha"]
  timeout     = "5m" # of the whole scenario, set-up not included
}

variable "ray_version" {
  type        = string
  default     = "2.60.0"
  description = "Ray release to install, as its Python package index names it"
}

variable "base_image" {
  type        = string
  default     = "python:3.11-slim-bookworm"
  description = "Debian-based image with a Python that Ray's image is built on"
}

image "ray" {
  build {
    context = "images/ray"
    args = {
      BASE        = var.base_image
      RAY_VERSION = var.ray_version
    }
  }
}

# The head runs the GCS and no replicas, so that its death takes no server with it. The nested block says what the node is in
# Ray's own terms; command, readiness and the rest follow from it. What the GCS knows survives its death in `storage`.
node "head" {
  image = image.ray
  files = { "/app/pid.py" = file("apps/pid.py") }
  env   = { PYTHONPATH = "/app" }

  ray {
    role     = "head"
    num_cpus = 0
    storage  = "rocksdb"
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

# Done when the application runs with the replicas that its config asks for.
action "deploy_serve" "one_replica" {
  config = yamldecode(file("apps/pid.yaml"))
}

# Twenty requests a second to the worker's proxy from here to the end. The next step starts once twenty in a row were
# answered: a fault before that would prove nothing.
workload "http" "clients" {
  url     = "http://${node.worker.ip}:8000/pid"
  rate    = 20
  expect  = { status = 200 }
  capture = { pid = "pid" } # name = JSON field of the reply
}

# The fault. This step ends when the process is seen to be gone.
action "kill_gcs" "outage" {}

assert "serves_while_down" {
  condition = during(workload.clients, action.outage).failed == 0
  hold      = "5s"
}

action "restart_head" "back" {}

# Another config takes effect now that the head is back: two replicas, and both answer.
action "reconfig" "two_replicas" {
  deployment = "GetPID"
  options    = { num_replicas = 2 }
}

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
