package main

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/report/github"
	"github.com/scenario-run/scenario/engine/report/junit"
	"github.com/scenario-run/scenario/engine/report/markdown"
	"github.com/scenario-run/scenario/engine/report/outcome"
)

// reports are the flags for what CI systems read.
type reports struct {
	junit    string
	level    *choice
	annotate *choice
}

func (r *reports) addFlags(f *pflag.FlagSet) {
	r.annotate = oneOf("auto", "github", "none")
	r.level = oneOf("variant", "step")
	f.StringVar(&r.junit, "junit", "", "write JUnit XML to `FILE`")
	f.Var(r.level, "junit-level", "what a case of the report is")
	f.Var(r.annotate, "annotate", "write annotations and a summary of the step; auto does in GitHub Actions")
}

// check refuses what could not be written in the end.
func (r *reports) check() error {
	if r.junit == "-" {
		return usage("--junit -: a report goes to a file")
	}
	return canBeIn("--junit", r.junit)
}

// annotates says whether annotations are wanted.
func (r *reports) annotates(w *world) bool {
	return r.annotate.value == "github" || r.annotate.value == "auto" && w.env("GITHUB_ACTIONS") == "true"
}

// write writes the reports of a run: annotations to the stream given, the summary
// of a step to where GitHub wants it, JUnit to the flag's file, and what is kept
// of a run to its directory, if there is one.
func (r *reports) write(w *world, run *outcome.Run, stream io.Writer, dir string) error {
	var err error
	if r.annotates(w) {
		err = errors.Join(github.Write(stream, run, w.inRepository), writeStepSummary(w.env("GITHUB_STEP_SUMMARY"), run))
	}
	var files []string
	if dir != "" {
		files = append(files, filepath.Join(dir, "junit.xml"))
		err = errors.Join(err, writePage(filepath.Join(dir, "summary.md"), run))
	}
	if r.junit != "" {
		files = append(files, r.junit)
	}
	if len(files) == 0 {
		return err
	}
	var b bytes.Buffer
	if e := junit.Write(&b, run, r.junitLevel()); e != nil {
		return errors.Join(err, e)
	}
	for _, f := range files {
		err = errors.Join(err, writeWhole(f, b.Bytes()))
	}
	return err
}

func writePage(file string, run *outcome.Run) error {
	var b bytes.Buffer
	if err := markdown.Write(&b, run, markdown.Limit); err != nil {
		return err
	}
	return writeWhole(file, b.Bytes())
}

// writeStepSummary adds the page of a run to a step's summary, which may hold
// what came before it in the step.
func writeStepSummary(file string, run *outcome.Run) error {
	if file == "" {
		return nil
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("write the step's summary: %w", err)
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err == nil {
		err = markdown.Write(f, run, markdown.Limit-int(min(size, markdown.Limit)))
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write the step's summary: %w", err)
	}
	return nil
}

func (r *reports) junitLevel() junit.Level {
	if r.level.value == "step" {
		return junit.Steps
	}
	return junit.Variants
}

// writeWhole writes a file by way of a temporary name: it is there with all of
// its content or as it was.
func writeWhole(path string, content []byte) error {
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, content, 0o644); err != nil {
		return fmt.Errorf("write a report: %w", errors.Join(err, os.RemoveAll(tmp)))
	}
	if err := os.Rename(tmp, path); err != nil {
		return fmt.Errorf("write a report: %w", errors.Join(err, os.Remove(tmp)))
	}
	return nil
}

// inRepository is a file's name as GitHub wants it: from the root of the
// repository, not from the working directory.
func (w *world) inRepository(file string) string {
	root := w.env("GITHUB_WORKSPACE")
	if root == "" || strings.HasPrefix(file, "<") {
		return file
	}
	path := file
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.dir, path)
	}
	rel, err := filepath.Rel(root, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return file
	}
	return filepath.ToSlash(rel)
}

// newToken draws the word that ends silenced; empty, if nothing reads commands.
func (r *reports) newToken(w *world) (string, error) {
	if !r.annotates(w) {
		return "", nil
	}
	secret := make([]byte, 16)
	if _, err := io.ReadFull(w.random, secret); err != nil {
		return "", fmt.Errorf("draw a token: %w", err)
	}
	return hex.EncodeToString(secret), nil
}

// silenced keeps GitHub from taking what nodes print for its own commands, until
// resume is called.
func silenced(stream io.Writer, token string) (resume func() error, err error) {
	if token == "" {
		return func() error { return nil }, nil
	}
	return func() error { return github.Resume(stream, token) }, github.Silence(stream, token)
}

// tell tells sinks what checking came to, as the events of a run that has only
// looked at the files. Sizes are those of the valid ones that count as passed.
func (l *loaded) tell(w *world, sizes map[*file]size, sinks ...event.Sink) error {
	invalid, err := l.invalidFiles()
	if err != nil {
		return err
	}
	warned, err := l.warnedFiles()
	if err != nil {
		return err
	}
	at := w.now()
	say := func(variant string, body event.Body) {
		for _, s := range sinks {
			err = errors.Join(err, s.Write(event.Event{Time: at, Variant: variant, Body: body}))
		}
	}
	say("", event.RunStarted{})
	for _, f := range invalid {
		say("", f)
	}
	for _, f := range warned {
		say("", f)
	}
	for _, f := range l.files {
		if f.invalid() {
			continue
		}
		for _, key := range sizes[f].keys {
			title := titleOf(f.scenario.Name, key)
			say(title, event.VariantStarted{Scenario: f.scenario.Name, Variant: key, File: f.source()})
			say(title, event.VariantFinished{State: event.Passed})
		}
	}
	return err
}
