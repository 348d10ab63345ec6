# Two servers, one of which hangs: its process is there, and nothing answers. The other one must not care.
#
# Steps run from top to bottom. `scenario plan` shows them without starting anything; `scenario explain pause` tells about
# one, and so for every other word.

scenario "NAME" {
  description = "A server that hangs does no harm to the other one, and answers again once it goes on"
  tags        = ["fault"]
  timeout     = "2m" # of the whole scenario, set-up not included
}

variable "image" {
  type        = string
  default     = "python:3.11-slim-bookworm"
  description = "An image with a Python. Another one: --var image=…, or image = \"…\" in local.auto.vars.hcl"
}

# What is tested: node.server[0] and node.server[1].
node "server" {
  count   = 2
  image   = var.image
  command = ["python3", "-m", "http.server", "8080"]

  ready {
    http   = ":8080/"
    within = "30s"
  }
}

# A probe is asked anew each time that a condition uses it.
probe "http" "direct" {
  count   = 2
  url     = "http://${node.server[count.index].ip}:8080/"
  timeout = "500ms"
}

# Before: without this, "silent" below could be true for a reason of its own.
assert "both_answer" {
  condition = probe.direct[0].ok && probe.direct[1].ok
  within    = "10s"
}

# The fault. It is taken back by `heal` below, or at the end, or when this program dies: nothing stays frozen.
action "pause" "frozen" {
  nodes = [node.server[0]]
}

assert "silent" {
  condition = !probe.direct[0].ok
  within    = "5s"
}

assert "the_other_answers" {
  condition = probe.direct[1].status == 200
  hold      = "2s"
}

action "heal" "thawed" {
  faults = [action.frozen]
}

assert "answers_again" {
  condition = probe.direct[0].status == 200
  within    = "5s"
}

output "recovery_seconds" {
  description = "From the end of the fault until the server answered"
  value       = assert.answers_again.elapsed_seconds
}
