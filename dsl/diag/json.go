package diag

import (
	"encoding/json"
	"io"

	"github.com/hashicorp/hcl/v2"
)

// jsonPlace is a range in a source file. Lines and columns count from 1,
// columns in characters.
type jsonPlace struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"end_line"`
	EndColumn int    `json:"end_column"`
}

type jsonRelated struct {
	Place jsonPlace `json:"place"`
	Text  string    `json:"text"`
}

type jsonDiagnostic struct {
	Severity string    `json:"severity"`       // error, warning, note
	Code     Code      `json:"code,omitempty"` // left out of what is wrong with a command
	Summary  string    `json:"summary"`
	Detail   string    `json:"detail,omitempty"`
	Hint     string    `json:"hint,omitempty"`
	Place    jsonPlace `json:"place"`
	In       string    `json:"in,omitempty"` // the block around the place
	// Instances are those of the block that it is so for; left out: all.
	Instances []string      `json:"instances,omitempty"`
	Related   []jsonRelated `json:"related,omitempty"`
}

// JSON writes the same as Print as data: an array with one object each.
func JSON(w io.Writer, files map[string][]byte, diags hcl.Diagnostics) error {
	s := newSources(files)
	all := make([]jsonDiagnostic, 0, len(diags))
	for _, d := range diags {
		x := extra(d)
		j := jsonDiagnostic{
			Severity:  severityOf(d),
			Code:      x.Code,
			Summary:   d.Summary,
			Detail:    d.Detail,
			Hint:      x.Hint,
			Place:     toPlace(place(d)),
			In:        s.enclosing(place(d)),
			Instances: x.Instances,
		}
		for _, r := range x.Related {
			j.Related = append(j.Related, jsonRelated{toPlace(r.Range), r.Text})
		}
		all = append(all, j)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(all)
}

func toPlace(r hcl.Range) jsonPlace {
	return jsonPlace{r.Filename, r.Start.Line, r.Start.Column, r.End.Line, r.End.Column}
}
