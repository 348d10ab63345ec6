package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	goruntime "runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"
)

// version is set by the linker in releases.
var version string

// about is what is known of this program.
type about struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"` // built from a changed work tree
	Go       string `json:"go"`
	Platform string `json:"platform"`
	// Runtime is the place where nodes live, if it answers.
	Runtime string `json:"runtime,omitempty"`
	// RuntimeError is why it does not.
	RuntimeError string `json:"runtime_error,omitempty"`
}

func thisProgram() about {
	a := about{Version: version, Go: goruntime.Version(), Platform: goruntime.GOOS + "/" + goruntime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return a.named()
	}
	if a.Version == "" && info.Main.Version != "(devel)" {
		a.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			a.Revision = s.Value
		case "vcs.modified":
			a.Modified = s.Value == "true"
		}
	}
	return a.named()
}

// named fills in the version of a build that has none.
func (a about) named() about {
	if a.Version == "" {
		a.Version = "devel"
	}
	return a
}

func (a about) String() string {
	text := fmt.Sprintf("scenario %s\n", a.Version)
	if a.Revision != "" {
		state := ""
		if a.Modified {
			state = ", modified"
		}
		text += fmt.Sprintf("revision %s%s\n", a.Revision, state)
	}
	text += fmt.Sprintf("%s, %s\n", a.Go, a.Platform)
	if a.RuntimeError != "" {
		a.Runtime = "none (" + a.RuntimeError + ")"
	}
	return text + fmt.Sprintf("runtime: %s\n", a.Runtime)
}

func newVersion(w *world) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the versions of scenario and of what it runs on",
		Args:  none,
		RunE: func(*cobra.Command, []string) error {
			a := thisProgram()
			a.Runtime, a.RuntimeError = askRuntime(w)
			if asJSON {
				enc := json.NewEncoder(w.stdout)
				enc.SetIndent("", "  ")
				return enc.Encode(a)
			}
			_, err := io.WriteString(w.stdout, a.String())
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print them as JSON")
	return cmd
}

// patience is how long version waits for a daemon.
const patience = 2 * time.Second

func askRuntime(w *world) (name, problem string) {
	rt, err := w.runtime()
	if err != nil {
		return "", err.Error()
	}
	defer rt.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	info, err := rt.Info(ctx)
	if err != nil {
		return "", err.Error()
	}
	return info.Name, ""
}
