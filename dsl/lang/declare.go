package lang

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/source"
)

const (
	// longestName is what fits into the name of what is made on the machine, with
	// that of the run before it.
	longestName = 128
	// longestHost is how long one part of a host name may be (RFC 1035).
	longestHost = 63
)

// declare checks a block's labels and makes its name known.
func (l *loader) declare(f *source.File, b *hclsyntax.Block, labels []string, in *scope) *decl {
	d := &decl{root: rootOf(b.Type), file: f, block: b, rng: headerOf(b), named: headerOf(b), scope: in}
	if len(b.Labels) != len(labels) {
		l.wrongLabels(b, labels)
		d.broken = true
	}
	if len(b.Labels) < len(labels) {
		l.p.perhaps.anyOf(d.root) // what its name is isn't clear
	}
	if len(b.Labels) == 0 {
		l.p.gaps = true
		return nil
	}
	n := min(len(b.Labels), len(labels)) - 1
	d.name, d.named = b.Labels[n], b.LabelRanges[n]
	if len(labels) == 2 {
		d.typ.Name = b.Labels[0]
	}
	if f.Broken[b] && (strings.Contains(d.name, "${") || strings.Contains(d.name, "%{")) {
		d.broken = true // reported, as what it is
	}
	if !nameSyntax.MatchString(d.name) && !d.broken {
		l.add(diag.New(diag.BadName, d.named, `"`+d.name+`" is not a name`,
			"A name begins with a lower case letter; lower case letters, digits and underscores follow."))
		d.broken = true
	}
	if n := len(d.name); n > longestName && (d.root == rootNetwork || d.root == rootVolume) && !d.broken {
		l.add(diag.New(diag.BadName, d.named, "a name of "+indexText(n)+" characters", "A name has at most "+indexText(longestName)+"."))
		d.broken = true
	}
	if r, ok := reservedNames[d.root]; ok && r == d.name {
		l.add(diag.New(diag.BadName, d.named, d.address()+" is the number of a round inside a repeat", "Choose another name."))
	}
	l.register(d)
	return d
}

// declareBroken makes a name known, so that what refers to it isn't reported
// as well.
func (l *loader) declareBroken(f *source.File, b *hclsyntax.Block, labels []string) *decl {
	d := l.declare(f, b, labels, l.p.top)
	if d != nil {
		d.broken = true
	}
	return d
}

// unparsed makes known what a block declares whose content can't be parsed.
func (l *loader) unparsed(f *source.File, b *hclsyntax.Block) {
	switch labels := topBlocks[b.Type]; {
	case b.Type == rootScenario:
		l.p.scenario = l.declareBroken(f, b, labels)
	case b.Type == rootMatrix:
		l.p.perhaps.anyOf(rootMatrix)
	case slices.Contains(stepBlocks, b.Type) && f == l.p.set.Root:
		if d := l.declareBroken(f, b, labels); d != nil {
			l.p.steps = append(l.p.steps, d)
		}
	case len(labels) > 0:
		l.declareBroken(f, b, labels)
	}
}

// misspelt makes known what a block of an unknown type was most likely meant
// to declare.
func (l *loader) misspelt(b *hclsyntax.Block, as string) {
	if n := len(b.Labels); n > 0 && len(topBlocks[as]) > 0 {
		l.p.perhaps.add(rootOf(as), b.Labels[n-1])
	}
}

func (l *loader) wrongLabels(b *hclsyntax.Block, labels []string) {
	want := b.Type
	for _, w := range labels {
		want += ` "` + map[string]string{"name": "NAME", "type": "TYPE", "kind": "KIND"}[w] + `"`
	}
	at := headerOf(b)
	if len(b.Labels) > len(labels) {
		at = b.LabelRanges[len(labels)]
	}
	l.add(diag.New(diag.WrongLabels, at, b.Type+" has "+plural(len(labels), "label")+butGiven(len(b.Labels)),
		"Write it as "+want+" { … }."))
}

// register makes a name visible, and reports one that is taken.
func (l *loader) register(d *decl) bool {
	first := d.scope.find(d.root, d.name)
	if d.scope.closed { // what it sees of others, it may hide
		first = d.scope.names[d.root][d.name]
	}
	if first != nil && d.root == rootScenario {
		return false // a second one is reported where files are read, whatever its name
	}
	if first != nil {
		l.add(diag.New(diag.DeclaredTwice, d.named, word(d.root)+` "`+d.name+`" is declared twice`, "",
			diag.Also(first.named, "first declared here")))
		first.broken = first.broken || d.broken
		d.broken = true
		return false
	}
	if d.scope.names[d.root] == nil {
		d.scope.names[d.root] = map[string]*decl{}
	}
	d.scope.names[d.root][d.name] = d
	if l.p.declared[d.root] == nil {
		l.p.declared[d.root] = map[string]*decl{}
	}
	l.p.declared[d.root][d.name] = d
	return true
}
