package lang

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/scenario-run/scenario/dsl/schema"
)

// checkVariants checks all variants. Unless they are handed on one by one, as many
// as fit into the memory are kept, since whoever checks them mostly wants them
// next. Of the others, what doesn't hang on the matrix is checked once, the rest
// in each.
func checkVariants(s *Scenario, l *loaded, problems *sink) {
	forOne := func() *effort { return newEffort(l.p.mostEffort, l.p.effort) }
	each := l.p.opts.Each
	if len(s.VariantKeys) == 1 {
		v := expand(s, l, s.VariantKeys[0], problems, nil, forOne())
		if l.only = v; each != nil {
			each(v)
		}
		return
	}
	varies := l.p.varying()
	shared := &sink{}
	expand(s, l, s.VariantKeys[0], shared, func(d *decl) bool { return !varies[d] }, forOne())
	problems.add(shared.diags...)
	var all []ofVariant
	made := 0 // instances of variants that are kept
	for _, key := range s.VariantKeys {
		own := &sink{}
		if each != nil || made < mostKept {
			v := expand(s, l, key, own, nil, forOne())
			if each != nil {
				each(v)
			} else {
				made += v.x.spent.made
				l.kept[key] = v
			}
			all = append(all, ofVariant{key, without(own.diags, shared.diags)})
			continue
		}
		expand(s, l, key, own, func(d *decl) bool { return varies[d] }, forOne())
		all = append(all, ofVariant{key, own.diags})
	}
	problems.add(inVariants(all)...)
}

// mostKept is how many instances variants may have in all to be kept: as many as
// one alone may have.
const mostKept = maxMade

// without are the problems that aren't among others.
func without(diags, others hcl.Diagnostics) hcl.Diagnostics {
	known := map[problemKey]bool{}
	for _, d := range others {
		known[keyOf(d)] = true
	}
	return slices.DeleteFunc(diags, func(d *hcl.Diagnostic) bool { return known[keyOf(d)] })
}

// chosen are the declarations of a part; nil means all.
func chosen(decls []*decl, part func(*decl) bool) []*decl {
	if part == nil {
		return decls
	}
	var some []*decl
	for _, d := range decls {
		if part(d) {
			some = append(some, d)
		}
	}
	return some
}

// varying are the declarations that may differ from one variant to the next:
// those that use the matrix, and those that use them.
func (p *program) varying() map[*decl]bool {
	users := map[*decl][]*decl{} // of a declaration
	varies := map[*decl]bool{}
	var mark func(*decl)
	mark = func(d *decl) {
		if varies[d] {
			return
		}
		varies[d] = true
		for _, u := range users[d] {
			mark(u)
		}
	}
	var uses []*decl // of the matrix
	nodes := &decl{} // stands for all of them
	for _, d := range p.topDecls() {
		for _, t := range d.references() {
			if t.RootName() == rootMatrix {
				uses = append(uses, d)
			}
			if name, ok := second(t); ok {
				if target := p.top.find(t.RootName(), name); target != nil {
					users[target] = append(users[target], d)
				}
			}
		}
		for _, used := range d.usedDefines() {
			users[used.decl] = append(users[used.decl], d)
		}
		if d.usesOnlyNode() {
			users[nodes] = append(users[nodes], d)
		}
	}
	for _, d := range p.defines {
		for _, u := range d.used {
			users[u.def.decl] = append(users[u.def.decl], d.decl)
		}
		if slices.ContainsFunc(d.probes, (*decl).usesOnlyNode) {
			users[nodes] = append(users[nodes], d.decl)
		}
	}
	// Nodes are looked at together, since their host names must differ.
	for _, n := range p.nodes {
		users[n] = append(users[n], nodes)
	}
	users[nodes] = append(users[nodes], p.nodes...)
	for _, d := range uses {
		mark(d)
	}
	return varies
}

// topDecls are the declarations at the top of the files, in no order.
func (p *program) topDecls() []*decl {
	var all []*decl
	for _, list := range [][]*decl{p.locals, p.images, p.networks, p.volumes, p.nodes, p.probes, p.steps, p.outputs} {
		all = append(all, list...)
	}
	if p.cleanup != nil {
		all = append(all, p.cleanup)
	}
	for _, d := range p.defines {
		all = append(all, d.decl)
	}
	return all
}

// usedDefines are the defines that a declaration uses, in steps inside too.
func (d *decl) usedDefines() []*define {
	var all []*define
	if d.def != nil {
		all = append(all, d.def)
	}
	for _, s := range d.steps {
		all = append(all, s.usedDefines()...)
	}
	return all
}

// references are all references in a declaration, those of steps inside too.
func (d *decl) references() []hcl.Traversal {
	if d.expr != nil {
		return hclsyntax.Variables(d.expr)
	}
	return referencesIn(d.block.Body)
}

func referencesIn(b *hclsyntax.Body) []hcl.Traversal {
	var all []hcl.Traversal
	for _, a := range b.Attributes {
		all = append(all, hclsyntax.Variables(a.Expr)...)
	}
	for _, inner := range b.Blocks {
		all = append(all, referencesIn(inner.Body)...)
	}
	return all
}

// usesOnlyNode says whether an argument may take the only node of a kind by
// default.
func (d *decl) usesOnlyNode() bool {
	for _, a := range d.typ.Args.Attrs {
		if a.OnlyNode != (schema.OnlyNode{}) {
			return true
		}
	}
	for _, s := range d.steps {
		if s.usesOnlyNode() {
			return true
		}
	}
	return false
}

// ofVariant are the problems of a variant.
type ofVariant struct {
	key   string
	diags hcl.Diagnostics
}

// inVariants says of problems that not every variant has which one has them.
func inVariants(all []ofVariant) hcl.Diagnostics {
	type key struct {
		rng     hcl.Range
		summary string
	}
	count := map[key]int{}
	for _, v := range all {
		seen := map[key]bool{}
		for _, d := range v.diags {
			k := key{*d.Subject, d.Summary}
			if !seen[k] {
				seen[k] = true
				count[k]++
			}
		}
	}
	var diags hcl.Diagnostics
	for _, v := range all {
		for _, d := range v.diags {
			if count[key{*d.Subject, d.Summary}] < len(all) {
				d.Detail = strings.TrimSpace(d.Detail + " It is so in the variant " + v.key + ".")
			}
			diags = append(diags, d)
		}
	}
	return diags
}
