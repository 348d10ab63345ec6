package lang

import (
	"regexp"

	"github.com/scenario-run/scenario/dsl/source"
)

// perhaps are names that may be declared although no declaration of them was
// found: where a block has no name, a file can't be parsed, or one that is
// included can't be read. That they aren't known would only be a consequence.
type perhaps struct {
	any   map[string]bool            // roots of which any name may be declared
	names map[string]map[string]bool // by root
}

func (p *perhaps) anyOf(roots ...string) {
	if p.any == nil {
		p.any = map[string]bool{}
	}
	for _, r := range roots {
		p.any[r] = true
	}
}

func (p *perhaps) add(root, name string) {
	if p.names == nil {
		p.names = map[string]map[string]bool{}
	}
	if p.names[root] == nil {
		p.names[root] = map[string]bool{}
	}
	p.names[root][name] = true
}

func (p *perhaps) has(root, name string) bool { return p.any[root] || p.names[root][name] }

var (
	lineOfWords = regexp.MustCompile(`(?m)^[ \t]*([a-z_]+)\b.*$`)
	assignment  = regexp.MustCompile(`(?m)^[ \t]*([a-z][a-z0-9_]*)[ \t]*=`)
	oneWord     = regexp.MustCompile(`[a-z][a-z0-9_]*`)
)

// inText notes every word that stands on a line after that of a block, or
// before an equals sign: of a file that can't be parsed whole.
func (p *perhaps) inText(f *source.File) {
	for _, m := range lineOfWords.FindAllSubmatch(f.Src, -1) {
		root := rootOf(string(m[1]))
		if _, ok := topBlocks[string(m[1])]; !ok {
			continue
		}
		for _, w := range oneWord.FindAll(m[0], -1) {
			p.add(root, string(w))
		}
	}
	for _, m := range assignment.FindAllSubmatch(f.Src, -1) {
		p.add(rootLocal, string(m[1]))
		p.add(rootMatrix, string(m[1]))
	}
}

// rootOf is how references to what a block declares begin.
func rootOf(block string) string {
	if block == "variable" {
		return rootVar
	}
	return block
}
