package main

import (
	"io"
	"slices"
)

// colored says whether output on a stream is coloured: the flag decides, then
// NO_COLOR, then FORCE_COLOR and CLICOLOR_FORCE, then whether this is a CI
// whose logs are known to show colours, then the stream.
func (w *world) colored(flag string, stream io.Writer) bool {
	switch flag {
	case "always":
		return true
	case "never":
		return false
	}
	if w.env("NO_COLOR") != "" {
		return false
	}
	if v, ok := w.lookup("FORCE_COLOR"); ok && v != "" {
		return v != "0" && v != "false"
	}
	if v := w.env("CLICOLOR_FORCE"); v != "" && v != "0" {
		return true
	}
	if slices.ContainsFunc(colourfulCI, func(name string) bool { return w.env(name) != "" }) {
		return true
	}
	_, _, terminal := w.terminal(stream)
	return terminal && w.env("TERM") != "dumb"
}

// colourfulCI are the variables by which providers are known whose logs show
// colours.
var colourfulCI = []string{
	"GITHUB_ACTIONS", "GITLAB_CI", "BUILDKITE", "CIRCLECI", "TRAVIS", "DRONE", "GITEA_ACTIONS", "TEAMCITY_VERSION", "TF_BUILD",
}

// inCI says that no person is watching.
func (w *world) inCI() bool {
	if v := w.env("CI"); v != "" && v != "false" && v != "0" {
		return true
	}
	return slices.ContainsFunc(colourfulCI, func(name string) bool { return w.env(name) != "" })
}
