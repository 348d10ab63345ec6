scenario "built" {}

image "app" {
  build {
    context    = "."
    dockerfile = "Dockerfile"
  }
}
