variable "v" {
  default = 1
}

# want: SCN0111 1:1-1
