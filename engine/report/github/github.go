package github

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/report/outcome"
)

// most is how many annotations GitHub shows of a step.
const most = 10

// level is what an annotation is, the gravest first.
type level int

const (
	isError level = iota
	isWarning
	isNotice
)

func (l level) command() string { return [...]string{"error", "warning", "notice"}[l] }

type annotation struct {
	level   level
	place   event.Place
	title   string
	message string
}

// Write writes the annotations of a run. Path gives a file's name as seen from
// the repository's root.
func Write(w io.Writer, run *outcome.Run, path func(file string) string) error {
	all := annotations(run)
	slices.SortStableFunc(all, func(a, b annotation) int { return int(a.level) - int(b.level) })
	if len(all) > most {
		rest := len(all) - most + 1
		all = append(all[:most-1:most-1], annotation{
			level: all[most-1].level, title: "more problems",
			message: fmt.Sprintf("There are %d more problems. The log of this step has them all.", rest),
		})
	}
	var b strings.Builder
	for _, a := range all {
		b.WriteString(a.line(path))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func annotations(run *outcome.Run) []annotation {
	var all []annotation
	files := slices.Clone(run.Invalid)
	for _, f := range run.Warned {
		files = append(files, event.FileInvalid(f))
	}
	for _, f := range files {
		for _, d := range outcome.Diagnostics(f) {
			if a, ok := ofDiagnostic(d); ok {
				all = append(all, a)
			}
		}
	}
	for _, v := range run.Variants {
		for _, p := range v.Problems() {
			all = append(all, ofProblem(p))
		}
	}
	for _, l := range run.Left {
		all = append(all, annotation{
			level: isError, title: "left behind: " + l.What, message: lines(l.Reason, "Remove it with: "+l.Command),
		})
	}
	return all
}

// ofDiagnostic leaves out notes, which need nobody's attention.
func ofDiagnostic(d outcome.Diagnostic) (annotation, bool) {
	a := annotation{place: d.Place, title: d.Summary, message: lines(d.Summary, d.Whose(), d.Hint, d.Detail)}
	if d.Code != "" {
		a.title = d.Code + ": " + d.Summary
	}
	switch d.Severity {
	case "error":
	case "warning":
		a.level = isWarning
	default:
		return a, false
	}
	return a, true
}

func ofProblem(p outcome.Problem) annotation {
	a := annotation{place: p.Place, title: p.Variant.Key + ": " + string(p.Cause.State), message: p.Cause.Message}
	if p.Where != "" {
		a.title = fmt.Sprintf("%s: %s %s", p.Variant.Key, p.Where, p.Cause.State)
	}
	var values []string
	if x := p.Cause.Excerpt; x != nil {
		for _, v := range x.Values {
			values = append(values, v.Expr+" = "+v.Text)
		}
	}
	a.message = lines(p.Cause.Message, strings.Join(values, "\n"), p.Cause.Detail, p.Cause.Hint)
	if p.Cause.State == event.Cancelled || p.Cause.State == event.Skipped {
		a.level = isNotice
	}
	return a
}

func lines(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n")
}

// line is the annotation as a workflow command.
func (a annotation) line(path func(string) string) string {
	var properties []string
	add := func(name, value string) {
		if value != "" && value != "0" {
			properties = append(properties, name+"="+property.Replace(value))
		}
	}
	if p := a.place; p.File != "" {
		add("file", path(p.File))
		add("line", strconv.Itoa(p.Line))
		add("endLine", strconv.Itoa(max(p.EndLine, p.Line)))
		// Columns of a range over several lines mean nothing to GitHub.
		if p.EndLine <= p.Line {
			add("col", strconv.Itoa(p.Column))
			add("endColumn", strconv.Itoa(max(p.EndColumn, p.Column)))
		}
	}
	add("title", a.title)
	return "::" + a.level.command() + " " + strings.Join(properties, ",") + "::" + data.Replace(a.message) + "\n"
}

// data and property are how GitHub's own toolkit escapes what stands after the
// second pair of colons, and what stands between them.
var (
	data     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// Silence writes the command after which GitHub takes no commands from what is
// printed, until Resume with the same token: what nodes print must not be able
// to annotate, or worse. The token must be one that they can't guess.
func Silence(w io.Writer, token string) error {
	_, err := fmt.Fprintf(w, "::stop-commands::%s\n", token)
	return err
}

// Resume ends what Silence began.
func Resume(w io.Writer, token string) error {
	_, err := fmt.Fprintf(w, "::%s::\n", token)
	return err
}

// Fold returns the lines that make GitHub fold what stands between them, within
// what Silence with the same token began.
func Fold(title, token string) (before, after string) {
	around := func(command string) string {
		return "::" + token + "::\n" + command + "\n::stop-commands::" + token
	}
	return around("::group::" + data.Replace(title)), around("::endgroup::")
}
