# Stands for scenarios/lib/ray.hcl, without the images that are built.

image "ray" {
  pull = "ray"
}
