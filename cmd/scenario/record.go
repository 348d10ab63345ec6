package main

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/engine"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/report/summary"
)

// invalidFiles are the files that could not be loaded or planned.
func (l *loaded) invalidFiles() ([]event.FileInvalid, error) {
	var all []event.FileInvalid
	for _, f := range l.files {
		if !f.invalid() {
			continue
		}
		told, err := l.told(f)
		if err != nil {
			return nil, err
		}
		all = append(all, told)
	}
	return all, nil
}

// warnedFiles are the files that can be run, but not without warnings.
func (l *loaded) warnedFiles() ([]event.FileWarned, error) {
	var all []event.FileWarned
	for _, f := range l.files {
		if f.invalid() || len(withoutNotes(f.diags)) == 0 {
			continue
		}
		told, err := l.told(f)
		if err != nil {
			return nil, err
		}
		all = append(all, event.FileWarned(told))
	}
	return all, nil
}

// told is what is wrong with a file, as text and as data.
func (l *loaded) told(f *file) (event.FileInvalid, error) {
	return tellOf(f.source(), l.texts, f.diags)
}

func tellOf(file string, texts map[string][]byte, diags hcl.Diagnostics) (event.FileInvalid, error) {
	var text, data bytes.Buffer
	err := errors.Join(
		diag.Print(&text, texts, withoutNotes(diags), diag.Style{}),
		diag.JSON(&data, texts, diags),
	)
	return event.FileInvalid{File: file, Text: text.String(), Diagnostics: bytes.TrimSpace(data.Bytes())}, err
}

// repeat is the command that runs just one variant again, the same way. Values
// of sensitive variables are left out: who has them can add them.
func (r *runner) repeat(l *loaded, f *file, p planned) string {
	words := []string{"scenario", "run", f.path}
	if p.key != "" {
		for axis := range strings.SplitSeq(p.key, ",") {
			words = append(words, "--variant", axis)
		}
	}
	for _, v := range r.f.varFiles {
		words = append(words, "--var-file", v)
	}
	isHidden := l.isHidden()
	for _, v := range r.f.vars {
		if name, _, _ := strings.Cut(v, "="); !isHidden(name) {
			words = append(words, "--var", v)
		}
	}
	if r.f.allowOutside {
		words = append(words, "--allow-outside")
	}
	if r.f.timeout > 0 {
		words = append(words, "--timeout", r.f.timeout.String())
	}
	if keep := r.f.keep.value; keep != string(engine.KeepNever) {
		words = append(words, "--keep", keep)
	}
	words = append(words, "--seed", fmt.Sprint(*f.scenario.Seed))
	for i, w := range words {
		words[i] = shellQuote(w)
	}
	return strings.Join(words, " ")
}

// about is what run.json says of this call.
func (r *runner) about(l *loaded) engine.About {
	a := engine.About{Version: thisProgram().Version, Args: l.args(r.w), Variables: map[string]engine.Variable{}}
	scenarios := 0
	for _, f := range l.files {
		if !f.invalid() && f.scenario != nil {
			scenarios++
		}
	}
	for _, f := range l.files {
		if f.invalid() || f.scenario == nil {
			continue
		}
		for _, v := range f.scenario.Variables {
			name := v.Name
			if scenarios > 1 {
				name = f.scenario.Name + "." + name
			}
			a.Variables[name] = engine.Variable{Value: valueText(v), From: v.From}
		}
	}
	a.Revision = revision(filepath.Dir(l.files[0].path))
	return a
}

// writeSummary writes what --json asks for to its file; "-" is standard output,
// and no file asks for nothing.
func writeSummary(w *world, file string, s *summary.Summary, code int) error {
	switch file {
	case "":
		return nil
	case "-":
		return s.JSON(w.stdout, code)
	}
	var b bytes.Buffer
	if err := s.JSON(&b, code); err != nil {
		return err
	}
	return writeWhole(file, b.Bytes())
}

// tellUnloaded writes the summary of a run that never began, with what is wrong
// with what was to be run, or with the command.
func tellUnloaded(w *world, file string, err error) error {
	e := exitOf(err)
	var problems *problemsError
	if !errors.As(err, &problems) && e.code == exitUsage {
		problems = commandProblem(e)
	}
	sum := summary.New()
	if problems != nil {
		invalid, err := problems.told()
		if err != nil {
			return err
		}
		for _, f := range invalid {
			if err := sum.Write(event.Event{Body: f}); err != nil {
				return err
			}
		}
	}
	return writeSummary(w, file, sum, e.code)
}
