package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/scenario-run/scenario/dsl/diag"
)

// answered gives a program that asked for JSON an answer in it where a command
// comes to nothing: what keeps it from beginning, as validate --json prints it,
// or an empty list where nothing is selected or found.
func answered(w *world, err error) error {
	e := exitOf(err)
	var problems *problemsError
	switch {
	case errors.As(err, &problems):
		return problems.asJSON(w, e.code)
	case e.code == exitNothing:
		return errors.Join(writeJSON(w.stdout, []any{}), err)
	}
	return err
}

func writeJSON(out io.Writer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// diagnosed is a file of which there is something to say, in a list of what the
// files hold.
type diagnosed struct {
	File        string          `json:"file"`
	Diagnostics json.RawMessage `json:"diagnostics"` // as validate --json prints them
}

// diagnostics are what there is to say of a file, as data.
func (l *loaded) diagnostics(f *file) (json.RawMessage, error) {
	var b bytes.Buffer
	err := diag.JSON(&b, l.texts, f.diags)
	return bytes.TrimSpace(b.Bytes()), err
}

// asList writes a JSON array with what each variant of the files is as data,
// and behind them, for each file of which there is something to say, that.
func (l *loaded) asList(out io.Writer, data func(planned) ([]byte, error)) error {
	all := []any{}
	for _, f := range l.files {
		for _, v := range f.variants {
			text, err := data(v)
			if err != nil {
				return fmt.Errorf("%s as data: %w", v.title(), err)
			}
			all = append(all, json.RawMessage(text))
		}
		if len(f.diags) == 0 {
			continue
		}
		told, err := l.diagnostics(f)
		if err != nil {
			return err
		}
		all = append(all, diagnosed{f.source(), told})
	}
	return writeJSON(out, all)
}

// answer ends a command that prints variants as data: with those that were
// loaded, or with the error that there was.
func answer(w *world, l *loaded, err error, data func(planned) ([]byte, error)) error {
	if err != nil {
		return answered(w, err)
	}
	if err := l.asList(w.stdout, data); err != nil {
		return err
	}
	return l.verdict()
}
