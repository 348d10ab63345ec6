scenario "s" {}

matrix {
  storage = ["rocksdb", "redis"]

  exclude {
    storag = "redis"
  }

  exclude {
    storage = "rediss"
  }

  include {
    storage = "redis"
  }
}
