package main

import (
	"context"
	"os/exec"
	"strings"
	"time"
)

// revision is the git revision of the work tree that a directory is in, empty
// if it is in none or there is no git.
func revision(dir string) string {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "git", "-C", dir, "rev-parse", "HEAD").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
