package diag

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
)

// Sort returns the diagnostics by place, without duplicates. Files come in the
// order given, others after them by name.
func Sort(diags hcl.Diagnostics, files ...string) hcl.Diagnostics {
	all := slices.Clone(diags)
	rank := func(d *hcl.Diagnostic) int {
		if i := slices.Index(files, place(d).Filename); i >= 0 {
			return i
		}
		return len(files)
	}
	slices.SortStableFunc(all, func(a, b *hcl.Diagnostic) int {
		x, y := place(a), place(b)
		return cmp.Or(
			cmp.Compare(rank(a), rank(b)),
			cmp.Compare(x.Filename, y.Filename),
			cmp.Compare(x.Start.Line, y.Start.Line),
			cmp.Compare(x.Start.Column, y.Start.Column),
			cmp.Compare(a.Severity, b.Severity),
			cmp.Compare(x.End.Byte, y.End.Byte),
			cmp.Compare(CodeOf(a), CodeOf(b)),
		)
	})
	return fold(dedupe(all))
}

// fewAlike are told one by one.
const fewAlike = 8

// fold leaves one of many diagnostics that say the like of the same place, as
// those of a block do that is there a thousand times, and says how many there
// are.
func fold(sorted hcl.Diagnostics) hcl.Diagnostics {
	type key struct {
		severity hcl.DiagnosticSeverity
		code     Code
		rng      hcl.Range
		detail   string
	}
	keyOf := func(d *hcl.Diagnostic) key { return key{d.Severity, CodeOf(d), place(d), d.Detail} }
	count, told := map[key]int{}, map[key]bool{}
	for _, d := range sorted {
		count[keyOf(d)]++
	}
	all := make(hcl.Diagnostics, 0, len(sorted))
	for _, d := range sorted {
		k := keyOf(d)
		switch {
		case count[k] <= fewAlike:
			all = append(all, d)
		case !told[k]:
			told[k] = true
			c := *d
			c.Detail = strings.TrimSpace(c.Detail + " And so it is with " + strconv.Itoa(count[k]-1) + " more.")
			all = append(all, &c)
		}
	}
	return all
}

// dedupe drops what says again what was said: the same summary at the same
// place, as when several variants are checked. Instances are those of both.
func dedupe(sorted hcl.Diagnostics) hcl.Diagnostics {
	type key struct {
		code    Code
		rng     hcl.Range
		summary string
	}
	seen := map[key]int{}
	all := make(hcl.Diagnostics, 0, len(sorted))
	for _, d := range sorted {
		k := key{CodeOf(d), place(d), d.Summary}
		if n, dup := seen[k]; dup {
			all[n] = With(all[n], For(eitherOf(InstancesOf(all[n]), InstancesOf(d))...))
			continue
		}
		seen[k] = len(all)
		all = append(all, d)
	}
	return all
}

// eitherOf are the instances of two diagnostics that say the same: of all, if
// one of them says so.
func eitherOf(a, b []string) []string {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	all := slices.Clone(a)
	for _, address := range b {
		if !slices.Contains(all, address) {
			all = append(all, address)
		}
	}
	return all
}

func place(d *hcl.Diagnostic) hcl.Range {
	if d.Subject == nil {
		return placed(hcl.Range{})
	}
	return placed(*d.Subject)
}
