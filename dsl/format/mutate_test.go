package format_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"pgregory.net/rapid"
)

// scraps are put between tokens: most leave a file that parses, with a layout
// that nobody would write.
var scraps = []string{
	" ", "   ", "\t", "\n", "\n\n\n", "\r\n", " \n", "# c\n", "// c \r\n", "/* c */", "/* c\n  d */", "-", "!", "+ 1", "\"x\"", "[", "]",
	"{", "}", "(", ")", ",", ".", "${", "}", "x = 1\n", "b {\n}\n", "<<E\n x\n\nE\n", "for", "=", "? :", "é", "...",
}

// Texts that are put together from pieces keep their meaning too: where a
// fuzzer needs hours to find what parses, this takes real files apart.
func TestTornFilesKeepTheirMeaning(t *testing.T) {
	var all []hclsyntax.Tokens
	for _, s := range seeds(t) {
		if tokens, diags := hclsyntax.LexConfig(s, "", hcl.InitialPos); !diags.HasErrors() && len(s) < 2000 {
			all = append(all, tokens)
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		var pieces [][]byte
		end := 0
		from := rapid.SampledFrom(all).Draw(r, "file")
		for _, tok := range from {
			pieces = append(pieces, bytes.Repeat([]byte(" "), tok.Range.Start.Byte-end), tok.Bytes)
			end = tok.Range.End.Byte
		}
		for range rapid.IntRange(1, 6).Draw(r, "changes") {
			at := rapid.IntRange(0, len(pieces)-1).Draw(r, "at")
			if rapid.Bool().Draw(r, "drop") {
				pieces[at] = nil
				continue
			}
			pieces = slices.Insert(pieces, at, []byte(rapid.SampledFrom(scraps).Draw(r, "scrap")))
		}
		src := bytes.Join(pieces, nil)
		mustKeepItsMeaning(r, src)
	})
}

// testingT is what tests and properties have in common.
type testingT interface {
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}
