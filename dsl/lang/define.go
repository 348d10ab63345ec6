package lang

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/dsl/source"
)

// define is a type made of others. Each use has a copy of what is inside, at
// addresses below its own; what is inside sees its own names and its params,
// and of the scenario only what is the same for all (see scope.find).
type define struct {
	*decl
	kind   schema.Kind // Action or Probe
	args   schema.Object
	params map[string]*param
	probes []*decl
	locals []*decl
	result *body // nil without
	// misnamed says that its name is none, opaque that what it yields isn't clear:
	// either has been reported.
	misnamed, opaque bool
	// used are the defines that it is made of, with the blocks that say so.
	used []definedUse
}

// param is an argument of a define.
type param struct {
	attr        schema.Attr
	rng         hcl.Range
	validations []*body
}

type definedUse struct {
	def *define
	at  hcl.Range
}

// defineKinds are what can be defined, by the first label.
var defineKinds = map[string]schema.Kind{rootAction: schema.Action, rootProbe: schema.Probe}

// insideOf are the blocks of a define, by kind.
var insideOf = map[schema.Kind][]string{
	schema.Action: {rootAction, rootAssert, "locals", "param", rootProbe, rootRepeat, "result", rootWorkload},
	schema.Probe:  {"locals", "param", rootProbe, "result"},
}

// announce makes the types known that files define, so that they can be used
// above the place where they are defined.
func (l *loader) announce(f *source.File, b *hclsyntax.Block) {
	if len(b.Labels) != 2 {
		l.wrongLabels(b, topBlocks["define"])
		return
	}
	kind, ok := defineKinds[b.Labels[0]]
	if !ok {
		kinds := []string{rootAction, rootProbe}
		l.add(diag.New(diag.UnknownType, b.LabelRanges[0], `a define makes an action or a probe, not "`+b.Labels[0]+`"`,
			`Write it as define "action" "TYPE" { … } or define "probe" "TYPE" { … }.`, diag.DidYouMean(b.Labels[0], kinds)))
		return
	}
	d := &define{kind: kind, params: map[string]*param{}, decl: &decl{
		root: "define", name: b.Labels[1], file: f, block: b, rng: headerOf(b), named: b.LabelRanges[1], scope: l.p.top,
	}}
	d.inner = newScope(l.p.top, d.decl)
	d.inner.closed = true
	l.nameOf(d)
	l.params(d)
	l.p.defines = append(l.p.defines, d)
	if k := (typeKey{d.kind, d.name}); l.p.types[k] == nil {
		l.p.types[k] = d
	}
	l.defines[b] = d
}

// nameOf checks the name of a define, and makes it known.
func (l *loader) nameOf(d *define) {
	if !nameSyntax.MatchString(d.name) {
		l.add(diag.New(diag.BadName, d.named, `"`+d.name+`" is not a name`,
			"A name begins with a lower case letter; lower case letters, digits and underscores follow."))
		d.broken, d.misnamed = true, true
		return
	}
	if t, taken := l.p.opts.Vocabulary.Lookup(d.kind, d.name); taken {
		l.add(diag.New(diag.DeclaredTwice, d.named, d.called()+` has the name of the built-in `+string(t.Kind)+` "`+t.Name+`"`,
			"Choose another name: a built-in type can't be replaced."))
		d.broken = true
		return
	}
	if first := l.p.types[typeKey{d.kind, d.name}]; first != nil {
		l.add(diag.New(diag.DeclaredTwice, d.named, string(d.kind)+` "`+d.name+`" is defined twice`, "",
			diag.Also(first.named, "first defined here")))
		d.broken = true
	}
}

// typeKey is how a type that is defined is found.
type typeKey struct {
	kind schema.Kind
	name string
}

// lookup finds a type: one of the vocabulary, or one that is defined.
func (l *loader) lookup(k schema.Kind, name string) (schema.Type, *define, bool) {
	if t, ok := l.p.opts.Vocabulary.Lookup(k, name); ok {
		return t, nil, true
	}
	if d := l.p.types[typeKey{k, name}]; d != nil {
		return d.schemaType(), d, true
	}
	return schema.Type{}, nil, false
}

// typeNames are the names of all types of a kind.
func (l *loader) typeNames(k schema.Kind) []string {
	names := l.p.opts.Vocabulary.Names(k)
	for _, d := range l.p.defines {
		if d.kind == k {
			names = append(names, d.name)
		}
	}
	return sorted(names)
}

// schemaType is what can be known about the type without using it. What its
// results are hangs on its arguments.
func (d *define) schemaType() schema.Type {
	t := schema.Type{Kind: d.kind, Name: d.name, Args: d.args}
	if a := d.block.Body.Attributes["description"]; a != nil {
		t.Summary = strings.TrimSuffix(literalString(a.Expr), ".")
	}
	return t
}

// define decodes what a define is made of.
func (l *loader) define(d *define) {
	b := d.block
	for _, a := range attrsInOrder(b.Body) {
		if a.Name != "description" {
			l.unknownArgument(b, a, []schema.Object{defineArgs}, insideOf[d.kind])
		}
	}
	bodies, _ := l.split(d.file, &hclsyntax.Block{Type: b.Type, Labels: b.Labels, TypeRange: b.TypeRange, LabelRanges: b.LabelRanges,
		Body: &hclsyntax.Body{Attributes: onlyAttr(b.Body, "description")}}, nil, defineArgs)
	d.decl.args = bodies[0]
	for _, inner := range b.Body.Blocks {
		l.insideDefine(d, inner)
	}
	if d.misnamed {
		return // all of it is to be written yet
	}
	if len(d.steps) == 0 && d.kind == schema.Action {
		l.add(diag.New(diag.MissingBlock, d.rng, d.called()+" has no steps", "Its use would do nothing."))
	}
	if d.result == nil && d.kind == schema.Probe {
		d.opaque = true
		l.add(diag.New(diag.MissingBlock, d.rng, `missing block "result"`, "A probe is asked for its results: result { NAME = EXPRESSION }."))
	}
}

func onlyAttr(b *hclsyntax.Body, name string) hclsyntax.Attributes {
	if a := b.Attributes[name]; a != nil {
		return hclsyntax.Attributes{name: a}
	}
	return nil
}

// insideDefine decodes one block of a define.
func (l *loader) insideDefine(d *define, b *hclsyntax.Block) {
	switch allowed := insideOf[d.kind]; {
	case b.Type == "param": // announced
	case b.Type == "result":
		l.resultBlock(d, b)
	case b.Type == "locals":
		d.locals = append(d.locals, l.localsOf(d.file, b, d.inner)...)
	case b.Type == rootProbe:
		if p := l.declare(d.file, b, topBlocks[rootProbe], d.inner); p != nil {
			l.typed(p, schema.Probe, manyArgs)
			d.probes = append(d.probes, p)
			d.uses(p)
		}
	case slices.Contains(allowed, b.Type):
		if s := l.step(d.file, b, d.inner); s != nil {
			d.steps = append(d.steps, s)
			d.uses(s)
		}
	default:
		l.add(diag.New(diag.UnknownBlock, b.TypeRange, d.called()+` has no block "`+b.Type+`"`,
			list("Blocks in it:", allowed), diag.DidYouMean(b.Type, allowed)))
	}
}

// uses notes which defines a declaration inside uses.
func (d *define) uses(inner *decl) {
	if inner.def != nil {
		d.used = append(d.used, definedUse{inner.def, inner.rng})
	}
	for _, s := range inner.steps {
		d.uses(s)
	}
}

// resultBlock decodes what a use yields: names of its own choice.
func (l *loader) resultBlock(d *define, b *hclsyntax.Block) {
	if len(b.Labels) > 0 {
		l.add(diag.New(diag.WrongLabels, b.LabelRanges[0], "result takes no label", ""))
	}
	if d.result != nil {
		l.add(diag.New(diag.BlockTwice, headerOf(b), "a second result block", "It may stand once.", diag.Also(d.result.rng, "the first is here")))
		return
	}
	for _, nested := range b.Body.Blocks {
		l.add(diag.New(diag.UnknownBlock, nested.TypeRange, "result holds no blocks", "Write each result as NAME = EXPRESSION."))
	}
	d.result = &body{file: d.file, rng: headerOf(b), attrs: map[string]*hclsyntax.Attribute{}}
	for _, a := range attrsInOrder(b.Body) {
		if !nameSyntax.MatchString(a.Name) {
			l.add(diag.New(diag.BadName, a.NameRange, `"`+a.Name+`" is not a name`,
				"A name begins with a lower case letter; lower case letters, digits and underscores follow."))
			d.opaque = true
			continue
		}
		if _, taken := schema.StepAttrs.Attr(a.Name); taken && d.kind == schema.Action {
			l.add(diag.New(diag.DeclaredTwice, a.NameRange, `every step has "`+a.Name+`" already`, "Choose another name for the result."))
			continue
		}
		d.result.attrs[a.Name] = a
		d.result.schema.Attrs = append(d.result.schema.Attrs, schema.Attr{Name: a.Name, Type: cty.DynamicPseudoType})
	}
}

// params decodes the arguments of a define.
func (l *loader) params(d *define) {
	for _, b := range d.block.Body.Blocks {
		if b.Type != "param" {
			continue
		}
		p := l.declare(d.file, b, []string{"name"}, d.inner)
		if p == nil {
			continue
		}
		p.args = l.plain(p, paramArgs)
		if p.broken || d.params[p.name] != nil {
			continue
		}
		one := l.param(d, p)
		if meta := metaOf(d.kind, p.name); meta {
			l.add(diag.New(diag.DeclaredTwice, p.named, `every `+string(d.kind)+` takes "`+p.name+`" already`, "Choose another name for the param."))
			continue
		}
		d.params[p.name] = one
		d.args.Attrs = append(d.args.Attrs, one.attr)
	}
}

// metaOf says that a name is that of a meta-argument of a kind.
func metaOf(k schema.Kind, name string) bool {
	o := actionMeta
	if k == schema.Probe {
		o = manyArgs
	}
	_, attr := o.Attr(name)
	_, block := o.Block(name)
	return attr || block
}

func (l *loader) param(d *define, p *decl) *param {
	one := &param{rng: p.rng, validations: p.args.blocks["validation"], attr: schema.Attr{Name: p.name, Type: cty.DynamicPseudoType, MayBeEmpty: true}}
	x := newExpansion(l.p, nil, nil, &sink{}, l.p.effort)
	x.paramType(p, &one.attr)
	f := x.checker(p.file, x.top, nil)
	f.only, f.purpose = []string{}, "a param's block"
	attr, _ := paramArgs.Attr("description")
	doc, diags := f.oneArgument(p.args, attr)
	x.sink.add(diags...)
	if doc.IsKnown() && !doc.IsNull() {
		one.attr.Doc = doc.AsString()
	}
	one.attr.Required = p.args.attrs["default"] == nil
	if !one.attr.Required {
		one.attr.Default = x.paramDefault(f, p, one.attr)
	}
	l.diags = append(l.diags, x.sink.diags...)
	return one
}

// paramType reads the type of a param: one of cty's, or what is referred to.
func (x *expansion) paramType(p *decl, a *schema.Attr) {
	at := p.args.attrs["type"]
	if at == nil {
		return
	}
	if ref := refType(at.Expr); ref != schema.NoRef {
		a.Ref, a.Type = ref, cty.NilType
		a.Type = a.ValueType()
		return
	}
	t, defaults, ok := x.typeOf(p)
	if !ok {
		return
	}
	a.Type = t
	if defaults != nil {
		a.Fill = defaults.Apply
	}
}

// refTypes are the types of params that take references, as they are written.
var refTypes = map[string]schema.Ref{
	"node": schema.RefNode, "workload": schema.RefWorkload, "step": schema.RefStep, "fault": schema.RefFault,
}

func refType(e hclsyntax.Expression) schema.Ref {
	if word := hcl.ExprAsKeyword(e); word != "" {
		return refTypes[word]
	}
	call, ok := e.(*hclsyntax.FunctionCallExpr)
	if ok && call.Name == "list" && len(call.Args) == 1 && hcl.ExprAsKeyword(call.Args[0]) == "node" {
		return schema.RefNodes
	}
	return schema.NoRef
}

// paramDefault evaluates a default, which is the same for every use.
func (x *expansion) paramDefault(f frame, p *decl, a schema.Attr) cty.Value {
	e := p.args.attrs["default"].Expr
	v, _ := f.value(e)
	switch {
	case v == cty.DynamicVal: // reported
		return cty.NullVal(plainType(a.ValueType()))
	case v.IsNull():
		return cty.NullVal(plainType(a.ValueType()))
	case a.Ref == schema.RefNodes && v.Type().IsTupleType() && v.LengthInt() == 0:
		return cty.ListValEmpty(cty.String)
	case a.Ref != schema.NoRef:
		x.sink.add(diag.New(diag.NotAllowedHere, e.Range(), "a param that takes "+refWord(a.Ref)+" has no default but null",
			"What a use refers to, it must name."))
		return cty.NullVal(plainType(a.ValueType()))
	}
	a.Name = "default"
	got, diags := f.argument(a, e, v)
	x.sink.add(diags...)
	return got
}

// refWord names what a param takes that takes references.
func refWord(r schema.Ref) string {
	return map[schema.Ref]string{
		schema.RefNode: "a node", schema.RefNodes: "nodes", schema.RefWorkload: "a workload", schema.RefStep: "a step", schema.RefFault: "a fault",
	}[r]
}

// typeOf reads the type that a variable or a param says; any without one.
func (x *expansion) typeOf(d *decl) (cty.Type, *typeexpr.Defaults, bool) {
	a := d.args.attrs["type"]
	if a == nil {
		return cty.DynamicPseudoType, nil, true
	}
	t, defaults, diags := typeexpr.TypeConstraintWithDefaults(a.Expr)
	if !diags.HasErrors() {
		return t, defaults, true
	}
	names := typeWordsOf(d.block.Type)
	for _, e := range adoptAs(diag.WrongType, a.Expr.Range(), diags) {
		word := ""
		if e.Subject != nil && e.Subject.CanSliceBytes(d.file.Src) {
			word = string(e.Subject.SliceBytes(d.file.Src))
		}
		hint := diag.DidYouMean(word, names)
		if bare := strings.Trim(word, `"`); bare != word && slices.Contains(names, bare) {
			hint = diag.Hint("write it without quotes: " + bare)
		}
		x.sink.add(diag.New(diag.WrongType, *e.Subject, "this is not a type", e.Detail, hint))
	}
	return t, defaults, false
}
