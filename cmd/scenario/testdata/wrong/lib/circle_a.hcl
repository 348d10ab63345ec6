include = ["circle_b.hcl"]
