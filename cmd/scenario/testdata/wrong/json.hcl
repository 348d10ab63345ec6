{
  "scenario": { "s": {} },
  "node": [ { "w": { "image": "i" } } ]
}

# want: SCN0106 1 {
