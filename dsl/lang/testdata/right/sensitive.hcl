scenario "sensitive" {}

variable "token" {
  type      = string
  default   = "s3cret"
  sensitive = true
}

variable "settings" {
  type      = object({ user = string, ports = list(number) })
  default   = { user = "root", ports = [1, 2] }
  sensitive = true
}

locals {
  header = var.token == "" ? "none" : "Bearer ${upper(var.token)}"
  ports  = [for p in var.settings.ports : p + 1 if p > 1]
  lookup = { s3cret = 5 }[var.token]
  maybe  = try(var.settings.none, var.token)
}

node "web" {
  image = "i"
  env   = { TOKEN = var.token, HEADER = local.header, USER = var.settings.user, PORTS = join(",", local.ports), N = local.lookup }
}

action "exec" "x" {
  node    = node.web
  command = ["echo", var.token, local.maybe, jsonencode(var.settings)]
  when    = var.token != "" && !(length(var.token) > 100)
}

assert "a" {
  condition = strcontains(action.x.stdout, var.token) && var.settings.ports[0] == 1
}

output "o" {
  value = var.token
}
