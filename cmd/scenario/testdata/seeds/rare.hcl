# What no other scenario here says, so that what is made of seeds comes upon it.
scenario "rare" {}

network "front" {
  driver = "bridge"
}

node "web" {
  image      = "nginx:1.29"
  networks   = [network.front]
  privileged = true
  init       = false
  may_exit   = true

  ready {
    https = ":8443/healthz"
  }
}

node "head" {
  image = "rayproject/ray:2.9.0"

  ray {
    role          = "head"
    labels        = { zone = "a" }
    storage_path  = "/tmp/ray"
    namespace     = "shop"
    dashboard     = false
    system_config = { gcs_rpc_server_reconnect_timeout_s = 60 }
  }
}

probe "http" "page" {
  url      = "https://${node.web.ip}:8443/"
  insecure = true
}

probe "metrics" "counted" {
  url      = "https://${node.web.ip}:8443/metrics"
  insecure = true
}

probe "ray_actors" "cars" {
  class = "Car"
}

workload "http" "clients" {
  url           = "https://${node.web.ip}:8443/"
  rate          = 20
  max_in_flight = 10
  baseline      = 5
  insecure      = true
  ca            = null
}

workload "tcp" "knocks" {
  target        = "${node.web.ip}:8443"
  rate          = 5
  max_in_flight = 2
  baseline      = 0
}

workload "exec" "queries" {
  node     = node.web
  command  = ["true"]
  workers  = 2
  baseline = 2
}

action "http" "once" {
  url      = "https://${node.web.ip}:8443/"
  insecure = true
}

action "deploy_serve" "shop" {
  via    = "driver"
  config = { applications = [] }
}

action "reconfig" "fewer" {
  application = "shop"
  deployment  = "Front"
  options     = { num_replicas = 1 }
}

action "kill_replica" "one" {
  application = "shop"
  deployment  = "Front"
}

action "submit_job" "counts" {
  entrypoint  = "python count.py"
  working_dir = "/tmp"
  runtime_env = { pip = [] }
}
