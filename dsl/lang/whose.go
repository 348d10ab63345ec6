package lang

import (
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/scenario-run/scenario/dsl/diag"
)

// whose does something for one of several instances of a block. What is found
// wrong with the block says whose it is; inTheEnd drops that where all have it.
func (x *expansion) whose(i *instance, do func()) {
	before := len(x.sink.diags)
	do()
	if !i.phantom {
		x.name(x.sink.diags[before:], i.decl, i.address)
	}
}

// whoseNumber is whose for finding out how many instances of a block there are at
// one of several places, such as the rounds of a repeat.
func (x *expansion) whoseNumber(s *instances, do func()) {
	before := len(x.sink.diags)
	do()
	c := counted{s.decl, s.place.isOpen()}
	x.setsOf[c]++
	if x.name(x.sink.diags[before:], s.decl, s.address()) {
		x.badSets[s.address()] = c
	}
}

// name says of problems of a block that an instance has them, and whether there
// are any.
func (x *expansion) name(diags hcl.Diagnostics, of *decl, address string) (any bool) {
	if !strings.Contains(address, "[") {
		return false // there is one
	}
	for n, d := range diags {
		if of.isNamedIn(d, address) {
			diags[n] = diag.With(d, diag.For(address))
			any = true
		}
	}
	return any
}

// isNamedIn says that an instance is worth naming for a problem: it is of its
// block, of no other inside it, and not named already. That there is too much
// of something is said of all.
func (of *decl) isNamedIn(d *hcl.Diagnostic, address string) bool {
	return d.Severity == hcl.DiagError && d.Subject != nil && of.block != nil && encloses(of.block.Range(), *d.Subject) &&
		len(diag.InstancesOf(d)) == 0 && diag.CodeOf(d) != diag.TooMany && !strings.Contains(d.Summary, address)
}

func encloses(outer, inner hcl.Range) bool {
	return outer.Filename == inner.Filename && outer.Start.Byte <= inner.Start.Byte && inner.End.Byte <= outer.End.Byte
}

// counted is what instances are counted by: those of a define that is checked by
// itself aren't among those of its uses.
type counted struct {
	d    *decl
	open bool
}

func (i *instance) counted() counted { return counted{i.decl, i.place.isOpen()} }

// inTheEnd puts problems together that several instances of a block have, and
// names those that have it where not all do.
func (x *expansion) inTheEnd(diags hcl.Diagnostics) hcl.Diagnostics {
	having := havingEach(diags)
	if len(having) == 0 {
		return diags
	}
	total := map[counted]int{}
	for _, i := range x.byAddress {
		total[i.counted()]++
	}
	all := make(hcl.Diagnostics, 0, len(diags))
	told := map[problemKey]bool{}
	for _, d := range diags {
		if len(diag.InstancesOf(d)) == 0 {
			all = append(all, d)
			continue
		}
		k := keyOf(d)
		if told[k] {
			continue
		}
		told[k] = true
		all = append(all, diag.With(d, diag.For(x.fewer(having[k], total)...)))
	}
	return all
}

// havingEach are the instances that have each problem.
func havingEach(diags hcl.Diagnostics) map[problemKey][]string {
	type one struct {
		problemKey
		address string
	}
	seen := map[one]bool{}
	all := map[problemKey][]string{}
	for _, d := range diags {
		for _, address := range diag.InstancesOf(d) {
			k := one{keyOf(d), address}
			if !seen[k] {
				seen[k] = true
				all[k.problemKey] = append(all[k.problemKey], address)
			}
		}
	}
	return all
}

// fewer are instances as a message names them, or nil if there are no others.
func (x *expansion) fewer(addresses []string, total map[counted]int) []string {
	of, all := x.badSets[addresses[0]], 0
	if first := x.byAddress[addresses[0]]; first != nil {
		of = first.counted()
		all = total[of]
	} else {
		all = x.setsOf[of]
	}
	if of.d == nil || len(addresses) == all {
		return nil
	}
	if !of.open {
		return addresses
	}
	var names []string // within the define, which the place says
	for _, a := range addresses {
		_, name, _ := strings.Cut(a, "/")
		names = append(names, name)
	}
	return names
}
