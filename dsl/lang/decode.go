package lang

import (
	"regexp"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/dsl/source"
)

// loader decodes blocks into a program.
type loader struct {
	p     *program
	diags hcl.Diagnostics
	// defines are those announced, by their blocks.
	defines map[*hclsyntax.Block]*define
}

func (l *loader) add(d *hcl.Diagnostic) { l.diags = append(l.diags, d) }

// topBlocks are the blocks of a file, with what each label is.
var topBlocks = map[string][]string{
	rootScenario: {"name"},
	"variable":   {"name"},
	"locals":     nil,
	rootMatrix:   nil,
	rootImage:    {"name"},
	rootNetwork:  {"name"},
	rootVolume:   {"name"},
	rootNode:     {"name"},
	rootProbe:    {"type", "name"},
	rootWorkload: {"type", "name"},
	rootAction:   {"type", "name"},
	rootAssert:   {"name"},
	rootRepeat:   {"name"},
	"cleanup":    nil,
	"output":     {"name"},
	"define":     {"kind", "type"},
}

var (
	stepBlocks    = []string{rootAction, rootAssert, rootRepeat, rootWorkload}
	nameSyntax    = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	reservedNames = map[string]string{rootRepeat: "index"}
)

// decode reads the blocks of all files.
func decode(set *source.Set, opts Options) (*program, hcl.Diagnostics) {
	p := &program{set: set, opts: opts, top: newScope(nil, nil), types: map[typeKey]*define{}, declared: map[string]map[string]*decl{}}
	p.funcs = newFunctions(set, opts.Seed)
	p.mostEffort = maxEffort
	for _, f := range set.Files {
		p.mostEffort += len(f.Src)
	}
	p.effort = newEffort(variantsEffort*p.mostEffort, nil)
	l := &loader{p: p, defines: map[*hclsyntax.Block]*define{}}
	if set.Lost {
		p.gaps = true
		p.perhaps.anyOf("variable", rootVar, rootLocal, rootMatrix, rootImage, rootNetwork, rootVolume, rootNode, rootProbe, rootWorkload)
	}
	for _, f := range set.Files {
		if f.Body == nil {
			continue
		}
		for _, b := range f.Body.Blocks {
			if b.Type == "define" {
				l.announce(f, b)
			}
		}
	}
	for _, f := range set.Files {
		if f.Body == nil {
			continue
		}
		if f.Lost {
			p.gaps = true
			p.perhaps.inText(f)
		}
		for _, a := range attrsInOrder(f.Body) {
			if a.Name != "include" {
				l.add(diag.New(diag.UnknownArgument, a.NameRange, `a file has no argument "`+a.Name+`"`,
					"Only include stands at the top of a file; named values belong into a locals block."))
			}
		}
		for _, b := range f.Body.Blocks {
			l.top(f, b)
		}
	}
	l.circles()
	return p, l.diags
}

// top decodes a block at the top of a file.
func (l *loader) top(f *source.File, b *hclsyntax.Block) {
	labels, ok := topBlocks[b.Type]
	if !ok {
		l.unknownTop(b)
		return
	}
	if f.Broken[b] {
		l.unparsed(f, b)
		return
	}
	if slices.Contains(stepBlocks, b.Type) || b.Type == "cleanup" {
		if f != l.p.set.Root {
			l.add(diag.New(diag.StepInLibrary, headerOf(b), "a library has no steps",
				"It declares what scenarios share; "+b.Type+" belongs into the scenario."))
			l.p.gaps = true
			if len(labels) > 0 {
				l.declareBroken(f, b, labels)
			}
			return
		}
	}
	switch b.Type {
	case "locals":
		l.p.locals = append(l.p.locals, l.localsOf(f, b, l.p.top)...)
		return
	case rootMatrix, "cleanup":
		l.single(f, b)
		return
	case "define":
		if d := l.defines[b]; d != nil {
			l.define(d)
		}
		return
	}
	if slices.Contains(stepBlocks, b.Type) {
		if d := l.step(f, b, l.p.top); d != nil {
			l.p.steps = append(l.p.steps, d)
		}
		return
	}
	d := l.declare(f, b, labels, l.p.top)
	if d == nil {
		return
	}
	l.declaration(d)
}

// declaration decodes the body of a named block that isn't a step.
func (l *loader) declaration(d *decl) {
	p := l.p
	switch d.block.Type {
	case rootScenario:
		if d.file == p.set.Root && p.scenario == nil {
			p.scenario = d
		}
		d.args = l.plain(d, scenarioArgs)
	case "variable":
		p.vars = append(p.vars, d)
		d.args = l.plain(d, variableArgs)
	case rootImage:
		p.images = append(p.images, d)
		d.args = l.plain(d, imageArgs)
		l.pullOrBuild(d)
	case rootNetwork:
		p.networks = append(p.networks, d)
		d.args = l.plain(d, networkArgs)
	case rootVolume:
		p.volumes = append(p.volumes, d)
		d.args = l.plain(d, volumeArgs)
	case rootNode:
		p.nodes = append(p.nodes, d)
		l.node(d)
	case rootProbe:
		p.probes = append(p.probes, d)
		l.typed(d, schema.Probe, manyArgs)
	case "output":
		p.outputs = append(p.outputs, d)
		d.args = l.plain(d, outputArgs)
	}
}

func (l *loader) plain(d *decl, o schema.Object) *body {
	bodies, _ := l.split(d.file, d.block, nil, o)
	return bodies[0]
}

func (l *loader) pullOrBuild(d *decl) {
	builds := d.args.blocks["build"]
	pull := d.args.attrs["pull"]
	switch {
	case pull == nil && len(builds) == 0 && !d.args.gaps:
		l.add(diag.New(diag.Contradiction, d.rng, "an image is pulled or built", `Give pull = "REF" or a build block.`))
	case pull != nil && len(builds) > 0:
		l.add(diag.New(diag.Contradiction, pull.NameRange, "an image is either pulled or built", "",
			diag.Also(builds[0].rng, "it is built here")))
	}
}

// node decodes a node block, with at most one nested block of a node kind.
func (l *loader) node(d *decl) {
	kinds := l.p.opts.Vocabulary.Names(schema.NodeKind)
	bodies, others := l.split(d.file, d.block, kinds, schema.NodeArgs, manyArgs)
	d.args, d.meta = bodies[0], bodies[1]
	l.countOrEach(d)
	for i, b := range others {
		if i > 0 {
			l.add(diag.New(diag.BlockTwice, headerOf(b), "a node is of one kind", "",
				diag.Also(headerOf(others[0]), "it is made a "+others[0].Type+" node here")))
			continue
		}
		if len(b.Labels) > 0 {
			l.add(diag.New(diag.WrongLabels, b.LabelRanges[0], b.Type+" takes no label", ""))
		}
		t, _ := l.p.opts.Vocabulary.Lookup(schema.NodeKind, b.Type)
		d.kindT = &t
		nested, _ := l.split(d.file, b, nil, d.kindT.Args)
		d.kind = nested[0]
	}
}

// typed decodes a block whose first label names a type of the vocabulary.
func (l *loader) typed(d *decl, k schema.Kind, meta schema.Object) {
	t, def, ok := l.lookup(k, d.typ.Name)
	if !ok {
		all := l.typeNames(k)
		if !d.broken { // wrong labels have been reported
			l.add(diag.New(diag.UnknownType, d.block.LabelRanges[0], "no "+string(k)+` named "`+d.typ.Name+`"`,
				l.elsewhere(k, d.typ.Name, all), didYouMean(d.typ.Name, all)))
		}
		d.broken = true
		bodies, _ := l.split(d.file, d.block, nil, meta, openTo(d.block.Body, meta))
		d.meta, d.args = bodies[0], bodies[1]
		l.countOrEach(d)
		return
	}
	d.typ, d.def = t, def
	args := t.Args
	if t.Kind == schema.Fault {
		args = args.And(schema.FaultArgs)
	}
	bodies, _ := l.split(d.file, d.block, nil, meta, args)
	d.meta, d.args = bodies[0], bodies[1]
	l.countOrEach(d)
}

// elsewhere says that a name is a type of another kind, or where those there are
// are listed, if none of them is like it.
func (l *loader) elsewhere(k schema.Kind, name string, all []string) string {
	for _, other := range []schema.Kind{schema.Action, schema.Probe, schema.Workload, schema.NodeKind} {
		if _, _, ok := l.lookup(other, name); ok && other != k {
			return "There is " + article(string(other)) + " of that name."
		}
	}
	if suggest(name, all) == "" {
		return "scenario explain lists them all."
	}
	return ""
}

func (l *loader) countOrEach(d *decl) {
	count, each := d.meta.attrs["count"], d.meta.attrs["for_each"]
	if count != nil && each != nil {
		l.add(diag.New(diag.Contradiction, each.NameRange, "count and for_each exclude each other", "",
			diag.Also(count.NameRange, "count is given here")))
		delete(d.meta.attrs, "for_each")
	}
}

func (l *loader) localsOf(f *source.File, b *hclsyntax.Block, in *scope) []*decl {
	if len(b.Labels) > 0 {
		l.add(diag.New(diag.WrongLabels, b.LabelRanges[0], "locals takes no label", ""))
	}
	for _, nested := range b.Body.Blocks {
		l.add(diag.New(diag.UnknownBlock, nested.TypeRange, "locals holds no blocks", "Write each value as NAME = EXPRESSION."))
	}
	var all []*decl
	for _, a := range attrsInOrder(b.Body) {
		d := &decl{root: rootLocal, name: a.Name, file: f, block: b, expr: a.Expr, rng: a.NameRange, named: a.NameRange, scope: in}
		if l.register(d) {
			all = append(all, d)
		}
	}
	return all
}

// single decodes a block that stands once and has no name.
func (l *loader) single(f *source.File, b *hclsyntax.Block) {
	slot := &l.p.matrix
	if b.Type == "cleanup" {
		slot = &l.p.cleanup
	}
	if len(b.Labels) > 0 {
		l.add(diag.New(diag.WrongLabels, b.LabelRanges[0], b.Type+" takes no label", ""))
	}
	if *slot != nil {
		l.add(diag.New(diag.BlockTwice, headerOf(b), "a second "+b.Type+" block", "",
			diag.Also((*slot).rng, "the first is here")))
		return
	}
	d := &decl{root: b.Type, file: f, block: b, rng: headerOf(b), named: b.TypeRange, scope: l.p.top}
	*slot = d
	if b.Type != "cleanup" {
		return
	}
	d.inner = newScope(l.p.top, d)
	l.innerSteps(d, rootAction)
	for _, a := range attrsInOrder(b.Body) {
		l.add(diag.New(diag.UnknownArgument, a.NameRange, `cleanup has no argument "`+a.Name+`"`, "It holds actions only."))
	}
}

func (l *loader) unknownTop(b *hclsyntax.Block) {
	var all []string
	for n := range topBlocks {
		all = append(all, n)
	}
	slices.Sort(all)
	l.p.gaps = true
	l.misspelt(b, diag.Suggest(b.Type, all))
	detail := list("A file holds", sorted(all))
	if b.Type == "include" {
		detail = `include is an argument: include = ["FILE.hcl"].`
	}
	l.add(diag.New(diag.UnknownBlock, b.TypeRange, `no block "`+b.Type+`"`, instead(b.Type, detail), didYouMean(b.Type, all)))
}
