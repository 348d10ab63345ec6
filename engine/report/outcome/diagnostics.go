package outcome

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/scenario-run/scenario/engine/event"
)

// Diagnostic is one problem of a file that does not load.
type Diagnostic struct {
	Severity string      `json:"severity"` // error, warning, note
	Code     string      `json:"code"`
	Summary  string      `json:"summary"`
	Detail   string      `json:"detail"`
	Hint     string      `json:"hint"`
	Place    event.Place `json:"place"`
	// Instances are those of the block around the place that it is so for; none:
	// all of them.
	Instances []string `json:"instances"`
}

// mostInstances are named of those that something is so for.
const mostInstances = 3

// Whose is a sentence that says which instances are meant; "" where all are.
func (d Diagnostic) Whose() string {
	n := len(d.Instances)
	switch {
	case n == 0:
		return ""
	case n > mostInstances:
		return fmt.Sprintf("For %s and %d more.", strings.Join(d.Instances[:mostInstances-1], ", "), n-mostInstances+1)
	}
	return "For " + strings.Join(d.Instances, ", ") + "."
}

// Diagnostics are the problems of a file. Where they weren't recorded as data,
// the printed text stands for them all.
func Diagnostics(f event.FileInvalid) []Diagnostic {
	var all []Diagnostic
	if err := json.Unmarshal(f.Diagnostics, &all); err == nil && len(all) > 0 {
		return all
	}
	return []Diagnostic{{
		Severity: "error", Summary: "the file is invalid", Detail: f.Text,
		Place: event.Place{File: f.File, Line: 1, Column: 1},
	}}
}
