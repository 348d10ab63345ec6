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

# want: SCN0413 7 storag
# want: SCN0413 11 "rediss"
# want: SCN0409 14 include
