package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"

	"github.com/hashicorp/hcl/v2"
	"github.com/spf13/cobra"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/source"
	"github.com/scenario-run/scenario/engine/plan"
	"github.com/scenario-run/scenario/engine/step"
)

// selection is what says which scenarios a command is about, and with which
// values.
type selection struct {
	vars         []string
	varFiles     []string
	name         string
	tags         []string
	variants     []string
	seed         int64
	seeded       bool
	allowOutside bool
	color        *choice
	// take is given each plan of a file. Without it they are kept, in variants.
	take func(f *file, p planned)
}

func (s *selection) addFlags(cmd *cobra.Command) {
	s.color = oneOf("auto", "always", "never")
	f := cmd.Flags()
	f.StringArrayVar(&s.vars, "var", nil, "set a variable: `NAME=VALUE`; can be given several times")
	f.StringArrayVar(&s.varFiles, "var-file", nil, "set variables from a `FILE` of NAME = VALUE lines")
	s.addFilterFlags(f)
	f.Int64Var(&s.seed, "seed", 0, "the `N` that pick() chooses by, in place of the scenario's own")
	f.BoolVar(&s.allowOutside, "allow-outside", false, "let paths in files leave the scenario's directory")
	f.Var(s.color, "color", "colour output")
}

// colorFlag is what --color says; completion has no flags.
func (s *selection) colorFlag() string {
	if s.color == nil {
		return ""
	}
	return s.color.value
}

// loaded are the scenarios that a command is about.
type loaded struct {
	found []*file           // what the paths stand for
	files []*file           // those of them that are selected
	texts map[string][]byte // of all sources, by the names that ranges have
}

// file is a scenario's file, and what came of it.
type file struct {
	path     string
	set      *source.Set
	scenario *lang.Scenario
	variants []planned
	diags    hcl.Diagnostics
	ofPlans  hcl.Diagnostics // what planning said of the variants that are selected
	vertices int             // of their plans
	tooMany  bool            // see isTooMany
}

type planned struct {
	*plan.Plan
	key string
}

// source is the file's name in messages: <stdin>, where the path is -.
func (f *file) source() string { return f.set.Root.Name }

func (f *file) invalid() bool { return f.diags.HasErrors() }

// load finds, reads, checks and plans. What is wrong with a file is in its
// diagnostics; the error is a mistake in the command.
func load(w *world, registry *step.Registry, s *selection, paths []string, o lang.Options) (*loaded, error) {
	wanted, err := newFilter(s.name, s.tags)
	if err != nil {
		return nil, err
	}
	if err := checkVariants(s.variants); err != nil {
		return nil, err
	}
	vals, err := readValues(w, s.vars, s.varFiles)
	if err != nil {
		return nil, err
	}
	l := &loaded{texts: vals.texts}
	if err := l.read(w, s, paths); err != nil {
		return nil, err
	}
	o.Vocabulary, o.AllowOutside = registry.Vocabulary(), s.allowOutside
	if s.seeded {
		o.Seed = &s.seed
	}
	if err := l.drop(wanted, wanted.rejectsEarly); err != nil {
		return nil, err
	}
	declared := l.declared()
	for _, f := range l.files {
		if err := f.check(s, o, vals, declared); err != nil {
			return nil, err
		}
	}
	if err := l.drop(wanted, wanted.rejects); err != nil {
		return nil, err
	}
	l.oneOfAName()
	if err := l.chosen(s); err != nil {
		return nil, err
	}
	for _, f := range l.files {
		f.diags = diag.Sort(f.diags, f.set.Root.Name)
	}
	l.hideSensitive(s.vars, vals.read)
	return l, nil
}

// read reads the files that the command's arguments stand for.
func (l *loaded) read(w *world, s *selection, paths []string) error {
	paths, err := withoutLines(paths)
	if err != nil {
		return err
	}
	paths = orHere(paths)
	files, err := source.Find(paths)
	if files, err = found(s.colorFlag(), paths, files, err); err != nil {
		return err
	}
	for _, path := range files {
		f := &file{path: path}
		f.set, f.diags = source.Load(path, source.Options{AllowOutside: s.allowOutside, Stdin: w.stdin})
		maps.Copy(l.texts, f.set.Sources())
		l.found = append(l.found, f)
	}
	l.files = l.found
	return nil
}

// orHere are the paths that a command is about: without arguments ./scenarios,
// or else the working directory.
func orHere(paths []string) []string {
	if len(paths) > 0 {
		return paths
	}
	if info, err := os.Stat("scenarios"); err == nil && info.IsDir() {
		return []string{"scenarios"}
	}
	return []string{"."}
}

// declared are the variables that any of the files declares, selected or not.
func (l *loaded) declared() map[string]bool {
	all := map[string]bool{}
	for _, b := range l.variableBlocks() {
		all[b.Labels[0]] = true
	}
	return all
}

// check takes a file through the language's phases, and plans each variant that
// is selected as soon as it is there: of thousands, only the plans are kept.
func (f *file) check(s *selection, o lang.Options, vals *values, declared map[string]bool) error {
	var diags hcl.Diagnostics
	var err error
	if o.Values, diags, err = vals.forScenario(f.path, declared); err != nil {
		return err
	}
	f.diags = append(append(f.diags, vals.diags...), diags...)
	if f.set.Root.Body == nil || f.noScenario() {
		return nil // nothing of it could be checked
	}
	o.Each = func(v *lang.Variant) {
		if matches(v.Key, s.variants) {
			f.plan(v, s.taker())
		}
	}
	f.scenario, diags = lang.Load(f.set, o)
	f.diags = append(f.diags, diags...)
	return nil
}

// noScenario says that the file is empty or a library: what else could be said
// of it would only distract.
func (f *file) noScenario() bool {
	return slices.ContainsFunc(f.diags, func(d *hcl.Diagnostic) bool {
		code := diag.CodeOf(d)
		return code == diag.EmptyFile || code == diag.NoScenario
	})
}

// oneOfAName refuses a second scenario of a name: events, directories and
// reports tell scenarios apart by it.
func (l *loaded) oneOfAName() {
	first := map[string]*file{}
	for _, f := range l.files {
		if f.scenario == nil || f.scenario.Name == "" {
			continue
		}
		if other := first[f.scenario.Name]; other != nil {
			f.diags = append(f.diags, diag.New(diag.DeclaredTwice, f.scenario.Range,
				fmt.Sprintf("a second scenario named %q", f.scenario.Name),
				"Scenarios that run together are told apart by their names.",
				diag.Also(other.scenario.Range, "first declared here")))
			continue
		}
		first[f.scenario.Name] = f
	}
}

// chosen leaves the files that have variants which are selected, and says what
// planning found. Of a file with errors that is the errors only: its order can be
// wrong as well.
func (l *loaded) chosen(s *selection) error {
	var known []string
	var selected []*file
	for _, f := range l.files {
		if f.scenario == nil || f.invalid() {
			f.diags = append(f.diags, only(f.ofPlans, hcl.DiagError)...)
			f.variants = nil
			selected = append(selected, f)
			continue
		}
		known = append(known, f.scenario.VariantKeys...)
		if slices.ContainsFunc(f.scenario.VariantKeys, func(key string) bool { return matches(key, s.variants) }) {
			f.diags = append(f.diags, f.ofPlans...)
			selected = append(selected, f)
			if err := f.isTooMany(); err != nil {
				return err
			}
		}
	}
	l.files = selected
	if len(selected) == 0 {
		return noVariant(s.variants, known)
	}
	return nil
}

func only(diags hcl.Diagnostics, severity hcl.DiagnosticSeverity) hcl.Diagnostics {
	return slices.DeleteFunc(diags, func(d *hcl.Diagnostic) bool { return d.Severity != severity })
}

func (s *selection) taker() func(*file, planned) {
	if s.take != nil {
		return s.take
	}
	return func(f *file, p planned) {
		f.vertices += len(p.Vertices)
		if f.vertices > mostKept && len(f.variants) > 0 {
			f.variants, f.tooMany = nil, true // the memory is needed again
		}
		if !f.tooMany {
			f.variants = append(f.variants, p)
		}
	}
}

// mostKept is how many vertices the plans of a file's variants may have together,
// for commands that need all plans at once: about as many as one alone may have.
const mostKept = 120_000

func (f *file) isTooMany() error {
	if !f.tooMany {
		return nil
	}
	return usage("%s: the plans of the variants that are selected come to more than %d vertices", f.source(), mostKept).
		with("Choose some of its " + strconv.Itoa(len(f.scenario.VariantKeys)) + " variants: --variant AXIS=VALUE")
}

func (f *file) plan(v *lang.Variant, take func(*file, planned)) {
	p, diags := plan.Build(v)
	f.ofPlans = append(f.ofPlans, diags...)
	if p != nil {
		take(f, planned{p, v.Key})
	}
}

// invalid says whether any file can't be run.
func (l *loaded) invalid() bool { return slices.ContainsFunc(l.files, (*file).invalid) }

// anyValid says whether any file can be run.
func (l *loaded) anyValid() bool {
	return slices.ContainsFunc(l.files, func(f *file) bool { return !f.invalid() })
}

// diags are the diagnostics of all files, each once.
func (l *loaded) diags() hcl.Diagnostics {
	var all hcl.Diagnostics
	var names []string
	for _, f := range l.files {
		all = append(all, f.diags...)
		names = append(names, f.set.Root.Name)
	}
	return diag.Sort(all, names...)
}
