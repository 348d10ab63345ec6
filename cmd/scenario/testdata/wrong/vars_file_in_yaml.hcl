# args: --var-file testdata/wrong/lib/vars.yaml
scenario "s" {}

node "web" {
  image = "i"
}

action "sleep" "n" {
  for = "1s"
}

# want: SCN0106 lib/vars.yaml:1 a: 1
