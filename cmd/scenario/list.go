package main

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/engine"
	"github.com/scenario-run/scenario/engine/event"
)

func newList(w *world) *cobra.Command {
	var s selection
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list [PATH|GLOB|FILE:LINE|-]...",
		Short: "List scenarios, their variants, tags and last results",
		Long: `list prints one line for each variant: its name, what its last recorded run
came to, and the scenario's tags and description. It touches no Docker.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			s.seeded = cmd.Flags().Changed("seed")
			s.take = func(f *file, p planned) { f.variants = append(f.variants, planned{key: p.key}) }
			l, err := load(w, w.registry(), &s, args, lang.Options{})
			if err != nil && asJSON {
				return answered(w, err)
			}
			if err != nil {
				return err
			}
			if asJSON {
				err = l.listAsJSON(w)
			} else {
				err = l.listAsText(w, s.color.value)
			}
			if err != nil {
				return err
			}
			return l.verdict()
		},
	}
	s.addFlags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the list as a JSON array")
	return cmd
}

// listed is a file in the list.
type listed struct {
	Scenario    string          `json:"scenario"` // empty: it has none
	File        string          `json:"file"`
	Description string          `json:"description"`
	Tags        []string        `json:"tags"`
	Variants    []listedVariant `json:"variants"`              // none: it can't be run
	Diagnostics json.RawMessage `json:"diagnostics,omitempty"` // as validate --json prints them
}

type listedVariant struct {
	Variant string      `json:"variant"` // "axis=value,axis=value"; empty without a matrix
	Last    *lastResult `json:"last"`    // null: never run
}

// lastResult is what a variant came to when it was last run.
type lastResult struct {
	Run     string      `json:"run"`
	Began   time.Time   `json:"began"`
	State   event.State `json:"state"`
	Seconds float64     `json:"elapsed_seconds"`
}

func (l *loaded) listAsText(w *world, color string) error {
	if err := l.print(w, color, errorsOnly); err != nil {
		return err
	}
	var all []listed
	last := w.knownResults()
	for _, f := range l.files {
		if !f.invalid() && f.scenario != nil {
			all = append(all, f.listed(last))
		}
	}
	width, _, _ := w.terminal(w.stdout)
	return listText(w.stdout, all, width)
}

// listAsJSON lists the files that are invalid as well.
func (l *loaded) listAsJSON(w *world) error {
	all := []listed{}
	last := w.knownResults()
	for _, f := range l.files {
		row := f.listed(last)
		if len(f.diags) > 0 {
			var err error
			if row.Diagnostics, err = l.diagnostics(f); err != nil {
				return err
			}
		}
		all = append(all, row)
	}
	return writeJSON(w.stdout, all)
}

func (f *file) listed(last map[variantID]lastResult) listed {
	row := listed{File: f.source(), Tags: append([]string{}, f.tags()...), Variants: []listedVariant{}}
	if b := scenarioBlock(f.set); b != nil && len(b.Labels) > 0 {
		row.Scenario = b.Labels[0] // of one that is invalid too
	}
	if f.scenario != nil {
		row.Description = f.scenario.Description
	}
	if f.invalid() {
		return row
	}
	for _, v := range f.variants {
		one := listedVariant{Variant: v.key}
		if r, ok := last[variantID{f.scenario.Name, v.key}]; ok {
			one.Last = &r
		}
		row.Variants = append(row.Variants, one)
	}
	return row
}

// knownResults are the last results, as far as they can be read.
func (w *world) knownResults() map[variantID]lastResult {
	last, err := w.lastResults()
	if err != nil {
		fmt.Fprintln(w.stderr, "warning:", err)
	}
	return last
}

// variantID is how runs tell variants apart.
type variantID struct{ scenario, variant string }

// lastResults are what the newest recorded run of each variant came to. A run
// that was killed has no result, so that the one before it counts.
func (w *world) lastResults() (map[variantID]lastResult, error) {
	home, err := w.home()
	if err != nil {
		return nil, err
	}
	runs, err := engine.Manifests(filepath.Join(home, "runs"))
	last := map[variantID]lastResult{}
	for _, m := range runs {
		if m.Result == nil {
			continue
		}
		for _, v := range m.Result.Variants {
			id := variantID{v.Scenario, v.Variant}
			if _, newer := last[id]; !newer {
				last[id] = lastResult{m.Run, m.Began, v.State, v.Seconds}
			}
		}
	}
	return last, err
}

// listText writes the list for people, in a width; 0 is any.
func listText(out io.Writer, all []listed, width int) error {
	rows := [][]string{{"SCENARIO", "LAST RESULT", "TAGS", "DESCRIPTION"}}
	for _, s := range all {
		for _, v := range s.Variants {
			rows = append(rows, []string{titleOf(s.Scenario, v.Variant), v.Last.text(), strings.Join(s.Tags, ", "), s.Description})
		}
	}
	if len(rows) == 1 {
		return nil // what is wrong with all of them has been said
	}
	_, err := io.WriteString(out, columns(rows, width))
	return err
}

func (r *lastResult) text() string {
	if r == nil {
		return "never run"
	}
	return fmt.Sprintf("%s, %s", r.State, r.Began.Local().Format("2006-01-02 15:04"))
}
