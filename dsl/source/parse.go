package source

import (
	"bytes"
	"regexp"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// maxRestarts is how often a file with errors is taken up again: enough for
// one that a person wrote, and an end for one that is something else.
const maxRestarts = 20

// parse returns the body of a file and all that is wrong with its syntax.
// hcl's parser reports the first error only; what comes after is parsed from
// the next line on that looks like the head of a block at the top.
func parse(src []byte, name string) (*hclsyntax.Body, hcl.Diagnostics) {
	body, all := parseFrom(src, name, hcl.InitialPos)
	diags := all
	for range maxRestarts {
		if !diags.HasErrors() || body == nil {
			break
		}
		last := diags[len(diags)-1]
		if last.Subject == nil {
			break
		}
		next, ok := nextBlock(src, last.Subject.Start)
		if !ok {
			break
		}
		var rest *hclsyntax.Body
		rest, diags = parseFrom(src[next.Byte:], name, next)
		all = append(all, withoutEchoes(diags)...)
		merge(body, rest)
	}
	return body, all
}

func parseFrom(src []byte, name string, from hcl.Pos) (*hclsyntax.Body, hcl.Diagnostics) {
	f, diags := hclsyntax.ParseConfig(src, name, from)
	if f == nil {
		return nil, diags
	}
	body, _ := f.Body.(*hclsyntax.Body)
	return body, diags
}

// blockHead is a line that begins a block at the left margin, where blocks at
// the top of a file stand.
var blockHead = regexp.MustCompile(`(?m)^[a-z][a-z0-9_]*(?: +"[^"\n]*")* *\{`)

// nextBlock returns where the first such line after a position's line begins.
func nextBlock(src []byte, after hcl.Pos) (hcl.Pos, bool) {
	from := min(after.Byte, len(src))
	end := bytes.IndexByte(src[from:], '\n')
	if end < 0 {
		return hcl.Pos{}, false
	}
	from += end + 1
	m := blockHead.FindIndex(src[from:])
	if m == nil {
		return hcl.Pos{}, false
	}
	at := from + m[0]
	return hcl.Pos{Line: bytes.Count(src[:at], []byte("\n")) + 1, Column: 1, Byte: at}, true
}

// withoutEchoes drops errors that may only come of having begun in the middle
// of a file: a brace that closes what wasn't seen to open.
func withoutEchoes(diags hcl.Diagnostics) hcl.Diagnostics {
	var all hcl.Diagnostics
	for _, d := range diags {
		if d.Summary != "Argument or block definition required" {
			all = append(all, d)
		}
	}
	return all
}

// merge adds to a body what a later part of its file has and it has not.
func merge(body, rest *hclsyntax.Body) {
	if rest == nil {
		return
	}
	seen := map[int]bool{}
	for _, b := range body.Blocks {
		seen[b.TypeRange.Start.Byte] = true
	}
	for _, b := range rest.Blocks {
		if !seen[b.TypeRange.Start.Byte] {
			body.Blocks = append(body.Blocks, b)
		}
	}
	for name, a := range rest.Attributes {
		if _, ok := body.Attributes[name]; !ok {
			body.Attributes[name] = a
		}
	}
}
