include = ["lib/shared.hcl"]

scenario "expressions" {
  description = "What expressions may do"
  timeout     = "${local.minutes}m"
  seed        = 7
}

variable "anything" {
  default = { hosts = ["a", "b"], port = 80 }
}

variable "typed" {
  type    = map(object({ size = number, tags = optional(list(string), []) }))
  default = { small = { size = 1 }, large = { size = 9, tags = ["big"] } }
}

locals {
  minutes = 3
  ips     = [for n in node.web : n.ip]
  joined  = join(",", local.ips)
  byname  = { for i, n in node.web : "web-${i}" => n.ip }
  big     = { for k, v in var.typed : k => v.size if v.size > 5 }
  chosen  = pick(["x", "y"], "key")
  hosts   = <<-TEXT
    %{for n in node.web~}
    ${n.host} ${n.ip}
    %{endfor~}
  TEXT
}

image "app" {
  pull = "registry/app:${var.shared}"
}

network "back" {
  subnet = "10.20.0.0/24"
}

volume "data" {
  size = "64m"
}

node "web" {
  count    = length(var.anything.hosts)
  image    = image.app
  env      = { PEERS = join(",", [for n in node.web : n.host]), INDEX = count.index }
  files    = { "/etc/peers" = local.hosts }
  mounts   = { "/data" = volume.data, "/host" = "/tmp:ro" }
  networks = [network.back]
  ports    = [80, 81]

  ready {
    exec = ["true"]
  }
}

node "sized" {
  for_each = var.typed
  image    = image.app
  cpus     = each.value.size
  hostname = each.key
}

node "named" {
  for_each = { first = node.web[0], second = node.web[1] }
  image    = each.value.image
  env      = { PEER = each.value.ip }
}

probe "http" "direct" {
  for_each = node.web
  url      = "http://${each.value.ip}:8080/"
}

probe "http" "one" {
  url = "http://${node.web.0.ip}/${node.sized["small"].host}/${node.sized.large.host}"
}

workload "http" "clients" {
  for_each = toset(["left", "right"])
  url      = "http://${node.web[each.key == "left" ? 0 : 1].ip}/"
  rate     = 20
  capture  = { pid = "pid" }
}

action "note" "before" {
  values = { oks = probe.direct[*].ok, whole = node.web, json = probe.one.json }
}

action "pause" "outage" {
  for_each   = node.web
  nodes      = [each.value]
  background = true
  for        = "5s"
}

assert "windows" {
  condition = during(workload.clients["left"], action.outage[0]).failed == 0 && since(workload.clients.right, action.before).total > 0
}

assert "splat" {
  condition = alltrue(probe.direct[*].ok) && probe.direct[*].status == [200, 200] && action.outage[*].state == ["passed", "passed"]
}

assert "nested" {
  condition = alltrue([for a in node.web : alltrue([for b in node.web : a.ip == b.ip || a.host != b.host])])
}

assert "dynamic" {
  condition     = action.before.values.json.deep.er[0] == "x" && try(probe.one.json.a.b, 3) == 3 && can(probe.one.json.c)
  error_message = "Got ${jsonencode(probe.one.json)}, ${format("%d", probe.one.status)}."
}

assert "null" {
  condition = action.before.error == null && probe.one.class != null
}

assert "noted" {
  condition = [for p in probe.direct : p.ok] == action.before.values.oks
}

repeat "round" {
  times = 2

  action "exec" "each" {
    for_each = node.web
    node     = each.value
    command  = ["echo", "${repeat.index}", local.byname["web-${each.key}"]]
    timeout  = "${repeat.index + 1}s"

    retry {
      attempts = 3
      backoff  = "100ms"
    }
  }

  assert "all" {
    condition = alltrue([for e in action.each : e.exit_code == 0]) && action.each[repeat.index].stdout != ""
  }
}

action "heal" "mend" {
  faults = [action.outage]
}

action "exec" "when" {
  when    = action.mend.state == "passed" ? true : false
  node    = one([for n in node.web : n if n.host == "web-0"])
  command = concat(["a"], [local.joined, local.chosen])

  expect_error {
    match = "exit"
  }
}

action "kill" "computed" {
  nodes = [for n in concat(node.web, values(node.sized)) : n if action.before.values.json.kill == n.name]
}

assert "after" {
  after     = [repeat.round, action.outage]
  condition = action.computed.hits != []
  within    = "5s"
  hold      = "1s"
}

cleanup {
  action "exec" "log" {
    node    = node.web[0]
    command = ["true"]
  }

  action "note" "kept" {
    values = action.log.stdout
  }
}

output "node" {
  value = node.web[0]
}

output "big" {
  value = local.big
}
