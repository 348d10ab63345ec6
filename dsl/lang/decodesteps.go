package lang

import (
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/dsl/source"
)

// step decodes an action, a workload, an assert or a repeat.
func (l *loader) step(f *source.File, b *hclsyntax.Block, in *scope) *decl {
	d := l.declare(f, b, topBlocks[b.Type], in)
	if d == nil {
		return nil
	}
	switch b.Type {
	case rootAction:
		l.typed(d, schema.Action, actionMeta)
		l.inCleanup(d)
	case rootWorkload:
		l.typed(d, schema.Workload, workloadMeta)
	case rootAssert:
		bodies, _ := l.split(f, b, nil, assertMeta, assertArgs)
		d.meta, d.args = bodies[0], bodies[1]
		l.countOrEach(d)
		l.timesOfAssert(d)
	case rootRepeat:
		if l.inTooManyRepeats(d) {
			break
		}
		d.inner = newScope(in, d)
		bodies, _ := l.split(f, b, stepBlocks, repeatMeta, repeatArgs)
		d.meta, d.args = bodies[0], bodies[1]
		l.countOrEach(d)
		l.rounds(d)
		l.innerSteps(d, stepBlocks...)
	}
	return d
}

// innerSteps decodes the steps inside a repeat or cleanup.
func (l *loader) innerSteps(d *decl, allowed ...string) {
	for _, b := range d.block.Body.Blocks {
		if !slices.Contains(allowed, b.Type) {
			l.add(diag.New(diag.UnknownBlock, b.TypeRange, describe(d.block)+` has no block "`+b.Type+`"`,
				list("Blocks in it:", allowed), diag.DidYouMean(b.Type, allowed)))
			l.p.gaps = true
			l.misspelt(b, diag.Suggest(b.Type, allowed))
			continue
		}
		if s := l.step(d.file, b, d.inner); s != nil {
			d.steps = append(d.steps, s)
		}
	}
}

// rounds reports a repeat that doesn't say how many rounds it has, or says it
// twice.
func (l *loader) rounds(d *decl) {
	times, lasting := d.args.attrs["times"], d.args.attrs["for"]
	switch {
	case times == nil && lasting == nil && d.args.gaps:
	case times == nil && lasting == nil:
		l.add(diag.New(diag.MissingArgument, d.rng, `missing argument "times" or "for"`,
			"Say how many rounds there are, times = 3, or how long new ones begin, for = \"30m\"."))
	case times != nil && lasting != nil:
		l.add(diag.New(diag.Contradiction, lasting.NameRange, `"times" and "for" exclude each other`, "",
			diag.Also(times.NameRange, "times is given here")))
	}
	if len(d.block.Body.Blocks) == 0 && !d.args.gaps {
		l.add(diag.New(diag.MissingBlock, d.rng, "there is nothing in it to repeat", list("It holds", stepBlocks)))
	}
}

// inCleanup reports what makes no sense of an action in cleanup, where one
// comes after the other whatever happens.
func (l *loader) inCleanup(d *decl) {
	if d.scope.owner == nil || d.scope.owner != l.p.cleanup {
		return
	}
	for _, name := range []string{"after", "background", "on_failure"} {
		if a := d.meta.attrs[name]; a != nil {
			l.add(diag.New(diag.NotAllowedHere, a.NameRange, `"`+name+`" has no meaning in cleanup`,
				"Its actions run one after the other, even if one fails."))
		}
	}
}

// timesOfAssert reports time arguments of an assert that exclude each other.
func (l *loader) timesOfAssert(d *decl) {
	t := d.args.attrs["throughout"]
	if t == nil {
		every := d.args.attrs["every"]
		if every != nil && !d.args.gaps && d.args.attrs["within"] == nil && d.args.attrs["hold"] == nil {
			l.add(diag.New(diag.Contradiction, every.NameRange, `"every" needs "within", "hold" or "throughout"`,
				"Without one of them the condition is evaluated once."))
		}
		return
	}
	for _, name := range []string{"within", "hold"} {
		if a := d.args.attrs[name]; a != nil {
			l.add(diag.New(diag.Contradiction, a.NameRange, `"`+name+`" and "throughout" exclude each other`,
				"A condition holds throughout a step from its first moment on.", diag.Also(t.NameRange, "throughout is given here")))
		}
	}
}
