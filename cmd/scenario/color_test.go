package main

import (
	"io"
	"testing"
)

// on is a world with an environment, whose streams are a terminal or not.
func on(terminal bool, environ ...string) *world {
	return &world{
		environ:  environ,
		terminal: func(io.Writer) (int, int, bool) { return 80, 24, terminal },
	}
}

func TestColourIsDecidedByFlagThenVariablesThenStream(t *testing.T) {
	for _, c := range []struct {
		name     string
		flag     string
		terminal bool
		environ  []string
		want     bool
	}{
		{"a terminal", "auto", true, nil, true},
		{"a pipe", "auto", false, nil, false},
		{"a dumb terminal", "auto", true, []string{"TERM=dumb"}, false},
		{"the flag over NO_COLOR", "always", false, []string{"NO_COLOR=1"}, true},
		{"the flag over FORCE_COLOR", "never", true, []string{"FORCE_COLOR=1"}, false},
		{"NO_COLOR over FORCE_COLOR", "auto", true, []string{"NO_COLOR=0", "FORCE_COLOR=1"}, false},
		{"an empty NO_COLOR says nothing", "auto", true, []string{"NO_COLOR="}, true},
		{"FORCE_COLOR on a pipe", "auto", false, []string{"FORCE_COLOR=1"}, true},
		{"FORCE_COLOR=0", "auto", true, []string{"FORCE_COLOR=0"}, false},
		{"CLICOLOR_FORCE on a pipe", "auto", false, []string{"CLICOLOR_FORCE=1"}, true},
		{"CLICOLOR_FORCE=0", "auto", false, []string{"CLICOLOR_FORCE=0"}, false},
		{"a CI that shows colours", "auto", false, []string{"GITHUB_ACTIONS=true"}, true},
		{"a CI that may not", "auto", false, []string{"CI=true"}, false},
		{"NO_COLOR over a CI", "auto", false, []string{"GITHUB_ACTIONS=true", "NO_COLOR=1"}, false},
		{"the last of two settings counts", "auto", false, []string{"FORCE_COLOR=1", "FORCE_COLOR=0"}, false},
	} {
		if got := on(c.terminal, c.environ...).colored(c.flag, nil); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
