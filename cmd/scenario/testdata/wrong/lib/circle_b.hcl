include = ["circle_a.hcl"]
