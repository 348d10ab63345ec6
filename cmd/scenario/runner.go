package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/engine"
	"github.com/scenario-run/scenario/engine/guardian"
	"github.com/scenario-run/scenario/engine/report/outcome"
	"github.com/scenario-run/scenario/engine/report/summary"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// runner is one call of run.
type runner struct {
	w    *world
	f    *runFlags
	id   string
	home string // where runs are, empty with --out
	dir  string
}

func (r *runner) run(args []string) error {
	id, err := engine.NewRunID(r.w.now(), r.w.random)
	if err != nil {
		return err
	}
	r.id = id
	registry := r.w.registry()
	seed := drawSeed()
	l, err := load(r.w, registry, &r.f.selection, args, lang.Options{RunID: id, DrawnSeed: &seed})
	if err != nil {
		return told(err, r.tellUnloaded(err))
	}
	if !l.anyValid() {
		return r.refuse(l)
	}
	if err := r.place(); err != nil {
		return err
	}
	token, err := r.f.newToken(r.w)
	if err != nil {
		return err
	}
	shown, err := newProgress(r.w, r.f, r.dir, token)
	if err != nil {
		return err
	}
	defer shown.close()
	if err := r.canRecord(); err != nil {
		return told(err, r.tellUnloaded(err))
	}
	if err := r.warn(l); err != nil {
		return err
	}
	variants, err := r.variants(l)
	if err != nil {
		return err
	}
	o, err := r.options(l, registry)
	if err != nil {
		return err
	}
	sum, out := summary.New(), outcome.New()
	o.Sinks = append(shown.sinks, sum, out)
	resume, err := silenced(shown.stream, token)
	if err != nil {
		return err
	}
	code, err := r.carryOut(o, variants)
	shown.close()
	err = errors.Join(err, resume(), writeSummary(r.w, r.f.json, sum, code), r.f.write(r.w, out, shown.stream, r.dir))
	r.prune()
	if err != nil {
		return &exitError{code: cmp.Or(code, exitLab), err: err}
	}
	if code != 0 {
		return &exitError{code: code}
	}
	return nil
}

// options are what the engine is to know of this run, sinks aside.
func (r *runner) options(l *loaded, registry *step.Registry) (engine.Options, error) {
	o := engine.Options{
		Registry: registry, Dir: r.dir, Machines: r.w.machines(), RunID: r.id, Owner: engine.Owner(),
		Keep: engine.Keep(r.f.keep.value), Timeout: r.f.timeout, Jobs: hostJobs(),
		Parallel: r.f.parallel, StopAtFailure: r.f.failFast,
		Source: func(name string) []byte { return l.texts[name] },
		About:  r.about(l),
		Load:   r.w.load,
	}
	if r.home != "" {
		o.Latest = filepath.Join(r.home, "latest")
	}
	var err error
	if o.Invalid, err = l.invalidFiles(); err != nil {
		return o, err
	}
	o.Warned, err = l.warnedFiles()
	return o, err
}

// refuse says why nothing can be run. There is no run then: no id, no
// directory, only what the flags ask to be written.
func (r *runner) refuse(l *loaded) error {
	stream := r.w.stdout
	if r.f.progress.value == "json" || r.f.json == "-" {
		stream = r.w.stderr
	}
	sum, out := summary.New(), outcome.New()
	err := errors.Join(
		l.print(r.w, r.f.color.value, errorsOnly),
		l.tell(r.w, nil, sum, out),
	)
	if err = errors.Join(err, writeSummary(r.w, r.f.json, sum, exitInvalid), r.f.write(r.w, out, stream, "")); err != nil {
		return err
	}
	return &exitError{code: exitInvalid}
}

// tellUnloaded writes the summary where there is nothing to run, so that no
// program takes one of an earlier run for it.
func (r *runner) tellUnloaded(err error) error { return tellUnloaded(r.w, r.f.json, err) }

// prune removes the directories of old runs.
func (r *runner) prune() {
	if r.home == "" {
		return
	}
	if err := engine.PruneRuns(r.home, r.w.now()); err != nil {
		fmt.Fprintln(r.w.stderr, "warning:", err)
	}
}

// carryOut hands the variants to the engine, with a guardian beside it.
func (r *runner) carryOut(o engine.Options, variants []engine.Variant) (int, error) {
	signals, stop := r.w.signals()
	defer stop()
	o.Interrupts = signals
	rt, err := r.w.runtime()
	if err != nil {
		rt = runtime.Unavailable(err)
	}
	defer rt.Close()
	o.Runtime = rt
	done, err := r.w.guard(guardian.Config{Run: r.id, Dir: r.dir, Runtime: runtimeConfig()})
	if err != nil {
		return exitLab, fmt.Errorf("nothing was started, since nothing could clean up after a crash: %w", err)
	}
	res, err := engine.Run(context.Background(), o, variants...)
	if !res.Abandoned {
		// What the run made is gone or reported by now: a guardian that was
		// killed meanwhile does not change what the run found.
		if gone := done(); gone != nil {
			fmt.Fprintln(r.w.stderr, "warning:", gone)
		}
	}
	return res.ExitCode, err
}

// place chooses the run's directory.
func (r *runner) place() error {
	if r.f.out == "" {
		home, err := r.w.home()
		if err != nil {
			return err
		}
		r.home = filepath.Join(home, "runs")
		r.dir = filepath.Join(r.home, r.id)
		return nil
	}
	dir, err := filepath.Abs(r.f.out)
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return usage("--out %s: %w", r.f.out, rootCause(err))
	case len(entries) > 0:
		return usage("--out %s: the directory is not empty (it has %s)", r.f.out, entries[0].Name())
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return usage("--out %s: the directory can't be made: %w", r.f.out, rootCause(err))
	}
	if err := tryToWrite(dir); err != nil {
		return usage("--out %s: nothing can be written to it: %w", r.f.out, err)
	}
	r.dir = dir
	return nil
}

// canRecord refuses a run that could not be recorded, before anything is made.
func (r *runner) canRecord() error {
	if r.home == "" {
		return nil // it is in --out, which has been tried
	}
	err := os.MkdirAll(r.home, 0o755)
	if err == nil {
		err = tryToWrite(r.home)
	}
	if err == nil {
		return nil
	}
	e := &exitError{code: exitLab, err: fmt.Errorf("nothing was started, since no run can be recorded in %s: %w", r.home, rootCause(err))}
	return e.with("Name a directory that can be written to: --out DIR for this run, SCENARIO_HOME=DIR for all.")
}

// variants are what the engine is to carry out. A file that is invalid is not
// run at all; the others are.
func (r *runner) variants(l *loaded) ([]engine.Variant, error) {
	var all []engine.Variant
	for _, f := range l.files {
		if f.invalid() {
			continue
		}
		for _, p := range f.variants {
			data, err := p.JSON()
			if err != nil {
				return nil, fmt.Errorf("plan of %s: %w", p.title(), err)
			}
			all = append(all, engine.Variant{Plan: p.Plan, JSON: data, Seed: *f.scenario.Seed, Repeat: r.repeat(l, f, p)})
		}
	}
	return all, nil
}

// drawSeed draws a seed that is short enough to be typed.
func drawSeed() int64 { return rand.Int64N(1_000_000) }

// warn prints the warnings of the files that can be run. What is wrong with
// the others is part of the run.
func (r *runner) warn(l *loaded) error {
	if v := r.f.progress.value; v == "quiet" || v == "json" {
		return nil
	}
	valid := &loaded{texts: l.texts}
	for _, f := range l.files {
		if !f.invalid() {
			valid.files = append(valid.files, f)
		}
	}
	return valid.print(r.w, r.f.color.value, errorsOnly)
}
