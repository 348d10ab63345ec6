package ray

import "github.com/scenario-run/scenario/dsl/schema"

// cluster is what every example runs on: a head whose GCS remembers, and a
// worker that has all the replicas.
const cluster = `
node "head" {
  image = "rayproject/ray:2.60.0"

  ray {
    role     = "head"
    num_cpus = 0 # replicas and actors live on the worker only
    storage  = "rocksdb"
  }
}

node "worker" {
  image = "rayproject/ray:2.60.0"

  ray {
    role     = "worker"
    head     = node.head
    num_cpus = 4
  }
}
`

// app is the cluster with something deployed on it. The module is put where
// both nodes find it.
const app = `
locals {
  files = {
    "/app/greeter.py" = <<-EOT
      from ray import serve

      @serve.deployment
      class Greeter:
          def __call__(self):
              return "hello"

      app = Greeter.bind()
    EOT
  }
}

node "head" {
  image = "rayproject/ray:2.60.0"
  files = local.files
  env   = { PYTHONPATH = "/app" }

  ray {
    role     = "head"
    num_cpus = 0 # replicas live on the worker only
    storage  = "rocksdb"
  }
}

node "worker" {
  image = "rayproject/ray:2.60.0"
  files = local.files
  env   = { PYTHONPATH = "/app" }

  ray {
    role     = "worker"
    head     = node.head
    num_cpus = 4
  }
}

action "deploy_serve" "greeter" {
  config = {
    http_options = { host = "0.0.0.0" }
    applications = [{
      name         = "greeter"
      route_prefix = "/"
      import_path  = "greeter:app"
      deployments  = [{ name = "Greeter", num_replicas = 1 }]
    }]
  }
}
`

func example(title, name, nodes, body string) schema.Example {
	return schema.Example{Title: title, Text: "scenario \"" + name + "\" {}\n" + nodes + body}
}

var (
	clusterExample = example("A head whose GCS survives its node, and a worker", "cluster", cluster, `
probe "ray_nodes" "cluster" {}

assert "both_are_there" {
  condition = probe.cluster.alive == 2
  within    = "20s"
}
`)

	deployExample = example("One application on the worker", "deploy", app, `
output "replicas" {
  value = action.greeter.applications["greeter"].replicas
}
`)

	reconfigExample = example("A second replica, asked for by a driver that waits for the GCS", "reconfig", app, `
action "kill_gcs" "outage" {}

action "reconfig" "second" {
  background = true
  from       = node.worker
  deployment = "Greeter"
  options    = { num_replicas = 2 }
}

action "restart_head" "back" {}

assert "the_first_was_kept" {
  condition = length(action.second.kept_pids) > 0
}
`)

	outageExample = example("The head dies with its GCS and comes back", "outage", cluster, `
action "kill_gcs" "outage" {}

action "restart_head" "back" {}

output "gcs_seconds" {
  value = action.back.gcs_seconds
}
`)

	rayletExample = example("A worker's node dies with its raylet", "raylet", cluster, `
action "kill_raylet" "shot" {
  node = node.worker
}

probe "node" "worker" {
  node = node.worker
}

assert "exited" {
  condition = !probe.worker.running
  within    = "20s"
}
`)

	replicaExample = example("Serve replaces a replica that died", "replica", app, `
action "kill_replica" "shot" {
  deployment = "Greeter"
}

probe "processes" "replicas" {
  node = node.worker
  name = "ray::ServeReplica"
}

assert "replaced" {
  condition = probe.replicas.count == 1 && one(probe.replicas.pids) != one(action.shot.pids)
  within    = "30s"
}
`)

	workerProcessExample = example("Whatever runs in a worker dies, and the worker lives", "worker_process", app, `
action "kill_worker_process" "shot" {
  node = node.worker
}

probe "ray_serve" "serve" {}

assert "back" {
  condition = probe.serve.running
  within    = "60s"
}
`)

	submitExample = example("A job that uses the cluster", "job", cluster, `
action "submit_job" "count" {
  entrypoint = "python3 -c 'import ray; ray.init(); print(ray.get(ray.put(42)))'"
}

assert "counted" {
  condition = strcontains(action.count.logs, "42")
}
`)

	runDriverExample = example("A driver in the worker asks how many CPUs there are", "driver", cluster, `
action "run_driver" "cpus" {
  node = node.worker
  code = <<-EOT
    import json, ray
    ray.init(log_to_driver=False)
    print(json.dumps({"cpus": ray.cluster_resources()["CPU"]}))
  EOT
}

assert "four" {
  condition = action.cpus.json.cpus == 4
}
`)

	jobsExample = example("A job that nobody waits for comes to its end", "jobs", cluster, `
action "submit_job" "sleep" {
  entrypoint = "sleep 1"
  wait       = false
}

probe "ray_jobs" "done" {
  status = "SUCCEEDED"
}

assert "ended" {
  condition = contains(probe.done.jobs[*].job_id, action.sleep.job_id)
  within    = "60s"
}
`)

	nodesExample = example("A restarted head replaces the dead one", "nodes", cluster, `
probe "ray_nodes" "cluster" {}

action "kill_gcs" "outage" {}

action "restart_head" "back" {}

assert "one_head" {
  condition = probe.cluster.alive == 2 && probe.cluster.alive_heads == 1
  within    = "15s"
  hold      = "5s"
}
`)

	actorsExample = example("Serve's controller came back after its node", "actors", app, `
probe "ray_actors" "controller" {
  name  = "SERVE_CONTROLLER_ACTOR"
  state = "ALIVE"
}

action "kill_gcs" "outage" {}

action "restart_head" "back" {}

assert "restarted_once" {
  condition = probe.controller.count == 1 && probe.controller.actors[0].restarts == 1
  within    = "30s"
}
`)

	serveExample = example("Serve is whole again after the head's death", "serve", app, `
probe "ray_serve" "serve" {}

action "kill_gcs" "outage" {}

action "restart_head" "back" {}

assert "running" {
  condition = probe.serve.running && probe.serve.controller.ip == node.head.ip
  within    = "30s"
}
`)

	gcsExample = example("The session outlives the head", "gcs", cluster, `
probe "ray_gcs" "gcs" {}

action "note" "before" {
  values = { session = probe.gcs.session }
}

action "kill_gcs" "outage" {}

assert "down" {
  condition = !probe.gcs.up
}

action "restart_head" "back" {}

assert "same_session" {
  condition = probe.gcs.session == action.before.values.session
}
`)
)
