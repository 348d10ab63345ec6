scenario "s" {}

output "json" {
  value = jsondecode("[1e99999999]")
}

output "yaml" {
  value = yamldecode("a: [1e99999]")
}

# want: SCN0307 4 "[1e99999999]"
# want: SCN0307 8 "a: [1e99999]"
