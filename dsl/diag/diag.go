package diag

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
)

// Extra is what a diagnostic has beside what hcl gives it; in its Extra field.
type Extra struct {
	Code Code
	// Hint stands beside the caret: did you mean "outage"?
	Hint string
	// Related are further places that matter, in the order to show them.
	Related []Related
	// Instances are those of the block around the place that it is so for; none:
	// all of them.
	Instances []string
	// Note makes a warning a note: it needs nobody's attention.
	Note bool
}

// Related is a further place and what it has to do with the problem.
type Related struct {
	Range hcl.Range
	Text  string // "first declared here"
}

// Option adds to a diagnostic.
type Option func(*hcl.Diagnostic, *Extra)

// New makes an error. Summary is one line in lower case without a full stop;
// detail, which may be empty, says the reason and what to do. A range that
// isn't set becomes the first byte of its file, so that no diagnostic is
// without a place; ranges without a file are given one by Adopt. Long quotations
// of input are cut, in options too.
func New(code Code, rng hcl.Range, summary, detail string, options ...Option) *hcl.Diagnostic {
	rng = placed(rng)
	x := &Extra{Code: code}
	d := &hcl.Diagnostic{
		Severity: hcl.DiagError,
		Summary:  brief(oneLine(summary)),
		Detail:   brief(detail),
		Subject:  &rng,
		Extra:    x,
	}
	for _, o := range options {
		o(d, x)
	}
	return d
}

// AsWarning makes the diagnostic a warning.
func AsWarning() Option {
	return func(d *hcl.Diagnostic, _ *Extra) { d.Severity = hcl.DiagWarning }
}

// AsNote makes the diagnostic a note.
func AsNote() Option {
	return func(d *hcl.Diagnostic, x *Extra) {
		d.Severity = hcl.DiagWarning
		x.Note = true
	}
}

// Hint puts text beside the caret.
func Hint(text string) Option {
	return func(_ *hcl.Diagnostic, x *Extra) { x.Hint = brief(oneLine(text)) }
}

// DidYouMean puts the candidate that is most like name beside the caret, if
// one is like it.
func DidYouMean(name string, candidates []string) Option {
	return func(_ *hcl.Diagnostic, x *Extra) {
		if s := Suggest(name, candidates); s != "" {
			x.Hint = brief(`did you mean "` + s + `"?`)
		}
	}
}

// Also names a further place: Also(first, "first declared here").
func Also(rng hcl.Range, text string) Option {
	return func(_ *hcl.Diagnostic, x *Extra) {
		x.Related = append(x.Related, Related{Range: placed(rng), Text: brief(oneLine(text))})
	}
}

// For says which instances of the block it is so for, by their addresses, in
// place of what was said of that; none: all of them.
func For(instances ...string) Option {
	return func(_ *hcl.Diagnostic, x *Extra) { x.Instances = instances }
}

// With returns a diagnostic with more said of it. The one given is left as it
// is.
func With(d *hcl.Diagnostic, options ...Option) *hcl.Diagnostic {
	more := *d
	x := &Extra{}
	if old, ok := d.Extra.(*Extra); ok {
		*x = *old
		x.Related = append([]Related(nil), old.Related...)
	}
	more.Extra = x
	for _, o := range options {
		o(&more, x)
	}
	return &more
}

// Adopt gives the diagnostics that hcl and cty make themselves what ours have:
// a code, if they have none, and a place, if they have none either. The
// diagnostics given are left as they are.
func Adopt(code Code, fallback hcl.Range, diags hcl.Diagnostics) hcl.Diagnostics {
	var all hcl.Diagnostics
	for _, d := range diags {
		c := *d
		if c.Subject == nil || c.Subject.Filename == "" {
			c.Subject = &fallback
		}
		rng := placed(*c.Subject)
		c.Subject = &rng
		if extra(&c).Code == "" {
			c.Extra = &Extra{Code: code}
			c.Summary, c.Detail = brief(lowerFirst(strings.TrimSuffix(c.Summary, "."))), brief(c.Detail)
		}
		all = append(all, &c)
	}
	return all
}

// CodeOf returns the code of a diagnostic, empty if it has none.
func CodeOf(d *hcl.Diagnostic) Code { return extra(d).Code }

// InstancesOf returns what For said of a diagnostic.
func InstancesOf(d *hcl.Diagnostic) []string { return extra(d).Instances }

func extra(d *hcl.Diagnostic) Extra {
	if x, ok := d.Extra.(*Extra); ok {
		return *x
	}
	return Extra{}
}

// placed returns a range that points at something: lines and columns count
// from 1, and the end is not before the start.
func placed(r hcl.Range) hcl.Range {
	if r.Start.Line < 1 || r.Start.Column < 1 {
		r.Start, r.End = hcl.InitialPos, hcl.InitialPos
	}
	if r.End.Line < r.Start.Line || r.End.Byte < r.Start.Byte {
		r.End = r.Start
	}
	return r
}

// lowerFirst makes hcl's summaries look like ours, but leaves words such as
// HCL alone.
func lowerFirst(s string) string {
	first, n := utf8.DecodeRuneInString(s)
	second, _ := utf8.DecodeRuneInString(s[n:])
	if unicode.IsUpper(second) {
		return s
	}
	return string(unicode.ToLower(first)) + s[n:]
}
