# A web server under steady traffic that crashes and is started again: was anything lost that should not have been, and how
# long was it away?
#
# Steps run from top to bottom. `scenario plan` shows them without starting anything; `scenario explain kill` tells about
# one, and so for every other word.

scenario "NAME" {
  description = "The web server answers again as soon as it is back after a crash"
  tags        = ["http"]
  timeout     = "2m" # of the whole scenario, set-up not included
}

variable "image" {
  type        = string
  default     = "python:3.11-slim-bookworm"
  description = "An image with a Python. Another one: --var image=…, or image = \"…\" in local.auto.vars.hcl"
}

# What is tested. It counts as started when `ready` holds; if it exits and no step has asked for that, the scenario fails.
node "web" {
  image   = var.image
  command = ["python3", "-m", "http.server", "8080"]

  ready {
    http   = ":8080/"
    within = "30s"
  }
}

# Twenty requests a second from here to the end, each sent when it is due, whatever became of the ones before. The next step
# starts once twenty in a row were answered: a fault before that would prove nothing.
workload "http" "clients" {
  url    = "http://${node.web.ip}:8080/"
  rate   = 20
  expect = { status = 200 }
}

# The fault. This step ends when the container is seen to be gone, and the fault lasts until something ends it.
action "kill" "crash" {
  nodes = [node.web]
}

# The clients must notice, or the rest would pass without having shown anything.
assert "clients_notice" {
  condition = during(workload.clients, action.crash).failed > 0
  within    = "5s"
}

action "start" "back" {
  nodes = [node.web]
}

# From the moment at which the server was ready again, every request must be answered, for two seconds on end.
assert "answers_again" {
  condition = since(workload.clients, action.back).failed == 0
  hold      = "2s"
}

output "away_seconds" {
  description = "The longest time without an answer"
  value       = workload.clients.max_gap_seconds
}
