scenario "s" {}

node "web" {
  image = "i"
}

```hcl
action "sleep" "n" {
  for = "1s"
}
```

# want: SCN0106 7 ```
# want: SCN0106 11 ```
