package outcome

import (
	"encoding/json"

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
