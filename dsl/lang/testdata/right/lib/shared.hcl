variable "shared" {
  type    = string
  default = "1"
}
