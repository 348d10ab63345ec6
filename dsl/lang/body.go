package lang

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/dsl/source"
)

// body is a block's content held against its schema.
type body struct {
	file   *source.File
	rng    hcl.Range // header of the block: where what is missing is reported
	schema schema.Object
	attrs  map[string]*hclsyntax.Attribute
	blocks map[string][]*body
	typ    schema.Type // that its label names, of a block that has one
	// gaps says that something in it isn't known, which has been reported: what
	// seems to be missing may be what is meant by that.
	gaps bool
}

// split decodes one block's content against several schemas, such as the
// engine's meta-arguments and a type's own. A name belongs to the first that
// has it. extra are nested blocks that are allowed besides; they are returned
// undecoded.
func (l *loader) split(file *source.File, b *hclsyntax.Block, extra []string, objects ...schema.Object) ([]*body, []*hclsyntax.Block) {
	bodies := make([]*body, len(objects))
	for i, o := range objects {
		bodies[i] = &body{file: file, rng: headerOf(b), schema: o}
	}
	meant, gaps := map[string]bool{}, false // by arguments that aren't known
	for _, a := range attrsInOrder(b.Body) {
		if i := slices.IndexFunc(objects, func(o schema.Object) bool { _, ok := o.Attr(a.Name); return ok }); i >= 0 {
			bodies[i].give(a)
			continue
		}
		meant[l.unknownArgument(b, a, objects, extra)] = true
		gaps = true
	}
	var others []*hclsyntax.Block
	for _, nested := range b.Body.Blocks {
		i := slices.IndexFunc(objects, func(o schema.Object) bool { _, ok := o.Block(nested.Type); return ok })
		switch {
		case i >= 0:
			l.nested(bodies[i], nested)
		case slices.Contains(extra, nested.Type):
			others = append(others, nested)
		default:
			l.unknownNested(b, nested, objects, extra)
			gaps = true
		}
	}
	for _, x := range bodies {
		x.gaps = gaps
		l.complete(x, meant)
	}
	return bodies, others
}

// openTo is the schema of a body whose type isn't known: it takes whatever
// stands in it and isn't the engine's own, so that what is referred to can be
// checked.
func openTo(b *hclsyntax.Body, known ...schema.Object) schema.Object {
	var o schema.Object
	for _, a := range attrsInOrder(b) {
		if !slices.ContainsFunc(known, func(k schema.Object) bool { _, ok := k.Attr(a.Name); return ok }) {
			o.Attrs = append(o.Attrs, schema.Attr{Name: a.Name, Type: cty.DynamicPseudoType})
		}
	}
	for _, nested := range b.Blocks {
		if slices.ContainsFunc(known, func(k schema.Object) bool { _, ok := k.Block(nested.Type); return ok }) {
			continue
		}
		inner := openTo(nested.Body)
		if i := slices.IndexFunc(o.Blocks, func(s schema.Block) bool { return s.Name == nested.Type }); i >= 0 {
			o.Blocks[i].Body = o.Blocks[i].Body.And(inner)
			continue
		}
		o.Blocks = append(o.Blocks, schema.Block{Name: nested.Type, Repeated: true, Body: inner})
	}
	return o
}

// give notes an argument that stands in the body.
func (b *body) give(a *hclsyntax.Attribute) {
	if b.attrs == nil {
		b.attrs = map[string]*hclsyntax.Attribute{}
	}
	b.attrs[a.Name] = a
}

// nested decodes a nested block of a body's schema.
func (l *loader) nested(in *body, b *hclsyntax.Block) {
	s, _ := in.schema.Block(b.Type)
	if s.Of != "" {
		l.nestedOf(in, b, s)
		return
	}
	if len(b.Labels) > 0 {
		l.add(diag.New(diag.WrongLabels, b.LabelRanges[0], b.Type+" takes no label", ""))
	}
	if first := in.blocks[b.Type]; len(first) > 0 && !s.Repeated {
		l.add(diag.New(diag.BlockTwice, headerOf(b), "a second "+b.Type+" block", "It may stand once.",
			diag.Also(first[0].rng, "the first is here")))
		return
	}
	bodies, _ := l.split(in.file, b, nil, s.Body)
	in.take(b.Type, bodies[0])
}

// take notes a nested block.
func (b *body) take(name string, nested *body) {
	if b.blocks == nil {
		b.blocks = map[string][]*body{}
	}
	b.blocks[name] = append(b.blocks[name], nested)
}

// nestedOf decodes a nested block whose label names a type.
func (l *loader) nestedOf(in *body, b *hclsyntax.Block, s schema.Block) {
	if len(b.Labels) != 1 {
		l.add(diag.New(diag.WrongLabels, headerOf(b), b.Type+" takes one label, the type of "+article(string(s.Of)), "Write it as "+b.Type+` "TYPE" { … }.`))
		in.take(b.Type, l.openBody(in.file, b))
		return
	}
	t, ok := l.p.opts.Vocabulary.Lookup(s.Of, b.Labels[0])
	if !ok || t.Kind != s.Of {
		var all []string
		for _, t := range l.p.opts.Vocabulary.Types(s.Of) {
			if t.Kind == s.Of {
				all = append(all, t.Name)
			}
		}
		l.add(diag.New(diag.UnknownType, b.LabelRanges[0], "no "+string(s.Of)+` named "`+b.Labels[0]+`"`,
			l.elsewhere(s.Of, b.Labels[0], all), didYouMean(b.Labels[0], all)))
		in.take(b.Type, l.openBody(in.file, b))
		return
	}
	args, err := s.BodyOf(t)
	if err != nil {
		l.add(diag.New(diag.NotAllowedHere, b.LabelRanges[0], t.Name+" can't stand here: "+err.Error(), ""))
		args = openTo(b.Body)
	}
	bodies, _ := l.split(in.file, b, nil, args)
	if err == nil {
		bodies[0].typ = t
	}
	in.take(b.Type, bodies[0])
}

// types are those that the labels of nested blocks name.
func (b *body) types() (all []schema.Type) {
	for _, n := range b.schema.Blocks {
		for _, nested := range b.blocks[n.Name] {
			if nested.typ.Name != "" {
				all = append(all, nested.typ)
			}
		}
	}
	return all
}

// openBody decodes a block of which it isn't known what it takes.
func (l *loader) openBody(file *source.File, b *hclsyntax.Block) *body {
	bodies, _ := l.split(file, b, nil, openTo(b.Body))
	return bodies[0]
}

// complete reports what is missing, but for what is meant by something that has
// been reported.
func (l *loader) complete(b *body, meant map[string]bool) {
	for _, a := range b.schema.Attrs {
		if a.Required && b.attrs[a.Name] == nil && !meant[a.Name] && a.OnlyNode == (schema.OnlyNode{}) {
			l.add(diag.New(diag.MissingArgument, b.rng, `missing argument "`+a.Name+`"`, a.Doc))
		}
	}
	for _, n := range b.schema.Blocks {
		if n.Required && len(b.blocks[n.Name]) == 0 {
			l.add(diag.New(diag.MissingBlock, b.rng, `missing block "`+n.Name+`"`, n.Doc))
		}
	}
}

// unknownArgument reports an argument and returns what it was most likely meant
// to be.
func (l *loader) unknownArgument(in *hclsyntax.Block, a *hclsyntax.Attribute, objects []schema.Object, extra []string) string {
	attrs, blocks := names(objects)
	blocks = append(blocks, extra...)
	what := describe(in)
	if slices.Contains(blocks, a.Name) {
		l.add(diag.New(diag.UnknownArgument, a.NameRange, `"`+a.Name+`" is a block here, not an argument`,
			"Write it as "+a.Name+" { … }, without =."))
		return a.Name
	}
	l.add(diag.New(diag.UnknownArgument, a.NameRange, what+` has no argument "`+a.Name+`"`,
		list("It takes", attrs), didYouMean(a.Name, append(slices.Clone(attrs), blocks...))))
	return suggest(a.Name, attrs)
}

func (l *loader) unknownNested(in, b *hclsyntax.Block, objects []schema.Object, extra []string) {
	attrs, blocks := names(objects)
	if slices.Contains(attrs, b.Type) {
		l.add(diag.New(diag.UnknownBlock, b.TypeRange, `"`+b.Type+`" is an argument here, not a block`,
			"Write it as "+b.Type+" = …"))
		return
	}
	blocks = append(blocks, extra...)
	detail := list("Blocks in it:", blocks)
	switch s := suggest(b.Type, slices.Concat(blocks, attrs)); {
	case slices.Contains(attrs, s):
		detail = "Write it as " + s + " = …, which is an argument."
	}
	l.add(diag.New(diag.UnknownBlock, b.TypeRange, describe(in)+` has no block "`+b.Type+`"`,
		instead(b.Type, detail), didYouMean(b.Type, slices.Concat(blocks, attrs))))
}

// names lists the attributes and the blocks of several schemas.
func names(objects []schema.Object) (attrs, blocks []string) {
	for _, o := range objects {
		for _, a := range o.Attrs {
			attrs = append(attrs, a.Name)
		}
		for _, b := range o.Blocks {
			blocks = append(blocks, b.Name)
		}
	}
	return sorted(attrs), sorted(blocks)
}

// mostListed is how many names of a list are read.
const mostListed = 40

// list writes names as a sentence: those that aren't words in quotes.
func list(before string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	more := "."
	if n := len(names) - mostListed; n > 0 {
		names, more = names[:mostListed], ", and "+indexText(n)+" more."
	}
	shown := make([]string, len(names))
	for i, n := range names {
		if shown[i] = n; n == "" || strings.ContainsAny(n, " \t\n\",") {
			shown[i] = strconv.Quote(n)
		}
	}
	return before + " " + strings.Join(shown, ", ") + more
}

// thereAre lists what there is in place of what isn't there.
func thereAre(names []string) string {
	if len(names) == 1 {
		return list("There is", names)
	}
	return list("There are", names)
}

// describe names a block for a message: action "kill", node, ready.
func describe(b *hclsyntax.Block) string {
	switch b.Type {
	case rootAction, rootProbe, rootWorkload:
		if len(b.Labels) > 0 {
			return b.Type + " " + b.Labels[0]
		}
	case "fault":
		if len(b.Labels) > 0 {
			return b.Type + ` "` + b.Labels[0] + `"`
		}
	case "define":
		if len(b.Labels) > 1 {
			return b.Type + ` "` + b.Labels[1] + `"`
		}
	}
	return b.Type
}

func headerOf(b *hclsyntax.Block) hcl.Range {
	r := b.TypeRange
	if n := len(b.LabelRanges); n > 0 {
		r.End = b.LabelRanges[n-1].End
	}
	return r
}

func attrsInOrder(b *hclsyntax.Body) []*hclsyntax.Attribute {
	all := make([]*hclsyntax.Attribute, 0, len(b.Attributes))
	for _, a := range b.Attributes {
		all = append(all, a)
	}
	slices.SortFunc(all, func(a, b *hclsyntax.Attribute) int { return a.NameRange.Start.Byte - b.NameRange.Start.Byte })
	return all
}

func sorted(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}
