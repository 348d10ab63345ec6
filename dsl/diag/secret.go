package diag

import (
	"bytes"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/syntax"
)

// hidden stands in an excerpt for what must not be shown.
const hidden = "(sensitive)"

// span is a part of a text, by offsets.
type span struct{ from, to int }

// secretsOf are the parts of a file that must not be shown: the defaults of
// sensitive variables.
func secretsOf(f *syntax.File, src []byte) []span {
	var all []span
	for _, b := range f.Body.Blocks {
		switch {
		case b.Type != "variable":
		case f.Broken[b]:
			all = append(all, unparsedSecret(b, src)...)
		case maySay(b.Body.Attributes["sensitive"], cty.True):
			if d := b.Body.Attributes["default"]; d != nil {
				all = append(all, span{d.Expr.Range().Start.Byte, d.Expr.Range().End.Byte})
			}
		}
	}
	return all
}

// maySay says that an argument isn't certain to have another value.
func maySay(a *hclsyntax.Attribute, want cty.Value) bool {
	if a == nil {
		return false
	}
	v, diags := a.Expr.Value(nil)
	return diags.HasErrors() || !v.RawEquals(want.Not())
}

// unparsedSecret is all that follows the word default in a block that can't be
// parsed, if the word sensitive is in it too.
func unparsedSecret(b *hclsyntax.Block, src []byte) []span {
	from, to := b.OpenBraceRange.End.Byte, min(b.CloseBraceRange.End.Byte, len(src))
	if from >= to || !bytes.Contains(src[from:to], []byte("sensitive")) {
		return nil
	}
	const word = "default"
	at := bytes.Index(src[from:to], []byte(word))
	if at < 0 {
		return nil
	}
	return []span{{from + at + len(word), to}}
}

// hide puts a word in place of what must not be shown of a line that begins at
// an offset. From and to mark a part of the line, and still do.
func hide(line []byte, begin, from, to int, secrets []span) ([]byte, int, int) {
	for i := len(secrets) - 1; i >= 0; i-- {
		a, b := secrets[i].from-begin, secrets[i].to-begin
		if b <= 0 || a >= len(line) {
			continue
		}
		a, b = max(a, 0), min(b, len(line))
		line = bytes.Join([][]byte{line[:a], []byte(hidden), line[b:]}, nil)
		from = shifted(from, a, b, a)
		to = shifted(to, a, b, a+len(hidden))
	}
	return line, from, to
}

// shifted is where an offset comes to be when the bytes from a to b are replaced
// by the word; one within them comes to be where inside says.
func shifted(offset, a, b, inside int) int {
	switch {
	case offset <= a:
		return offset
	case offset >= b:
		return offset + len(hidden) - (b - a)
	}
	return inside
}
