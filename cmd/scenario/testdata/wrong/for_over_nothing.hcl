scenario "s" {}

node "web" {
  image = "i"
}

assert "a" {
  condition = alltrue([for n in [] : n == probe.nothing.ok])
}

# want: SCN0203 8 probe.nothing
