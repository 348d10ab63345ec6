package main

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine"
	"github.com/scenario-run/scenario/engine/doctor"
	"github.com/scenario-run/scenario/engine/machine"
	"github.com/scenario-run/scenario/engine/runtime"
)

func newDoctor(w *world) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what this machine can do, and what mends what it can't",
		Long: `doctor looks at the machine as a run will find it: Docker, a network, an agent,
what the kernel can do for each fault, what earlier runs left, the disk. It
tries what can be tried, and removes what it made for that.

Where something is missing it says what that means for scenarios, and the
command that mends it. The exit code is 4 if no scenario can run.`,
		Args: none,
		RunE: func(*cobra.Command, []string) error {
			m, err := w.machine()
			if err != nil {
				return err
			}
			ctx, stop := untilSignal(w)
			defer stop()
			ctx, cancel := context.WithTimeout(ctx, examineWithin)
			defer cancel()
			found := doctor.Examine(ctx, m)
			if asJSON {
				err = writeJSON(w.stdout, found)
			} else {
				width, _, _ := w.terminal(w.stdout)
				err = printFindings(w.stdout, found, width)
			}
			if err == nil && doctor.Worst(found) == doctor.Broken {
				err = &exitError{code: exitLab}
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was found as a JSON array")
	return cmd
}

// examineWithin is more than a daemon that answers needs.
const examineWithin = time.Minute

// machine is this one, for the doctor.
func (w *world) machine() (m doctor.Machine, err error) {
	home, err := w.home()
	if err != nil {
		return m, err
	}
	id, err := engine.NewRunID(w.now(), w.random)
	if err != nil {
		return m, err
	}
	return doctor.Machine{
		Connect: w.runtime,
		Types:   w.registry().Vocabulary().Types(schema.Action),
		Memory:  machine.Memory{Dir: filepath.Join(home, "machines"), Now: w.now},
		Scope:   runtime.Scope{Run: id, Variant: "doctor", Owner: engine.Owner(), Expires: w.now().Add(time.Hour)},
		Runs:    filepath.Join(home, "runs"),
		Now:     w.now,
	}, nil
}

var findingMarks = map[doctor.State]string{doctor.Good: "✓", doctor.Limited: "!", doctor.Broken: "✗"}

// printFindings writes what was found in a width; 0 is any.
func printFindings(out io.Writer, found []doctor.Finding, width int) error {
	longest := 0
	for _, f := range found {
		longest = max(longest, runewidth.StringWidth(f.Check))
	}
	indent := 2 + longest + gap // behind a mark
	room := 0
	if width > 0 {
		room = max(width-indent, leastColumn)
	}
	var b strings.Builder
	for _, f := range found {
		hanging(&b, findingMarks[f.State]+" "+runewidth.FillRight(f.Check, longest+gap), indent, f.Text, room)
		if f.Mend != "" {
			hanging(&b, strings.Repeat(" ", indent)+"→ ", indent+2, f.Mend, max(room-2, 0))
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}
