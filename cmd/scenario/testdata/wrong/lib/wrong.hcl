variable "pause" {
  default = = "1s"
}
