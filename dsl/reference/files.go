package reference

import (
	"embed"
	"io/fs"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/scenario-run/scenario/dsl/diag"
)

//go:embed codes/*.txtar examples/*.txtar
var files embed.FS

// codes reads codes/CODE.txtar: above the files what the code means, then the
// files below wrong/, which provoke it, and below right/.
func codes() []Code {
	var all []Code
	for _, e := range diag.Codes() {
		c := Code{Entry: e}
		archive, err := read("codes/" + string(e.Code))
		if err != nil {
			all = append(all, c) // its summary is better than nothing
			continue
		}
		c.Doc = strings.TrimSpace(string(archive.Comment))
		for _, f := range archive.Files {
			if name, ok := strings.CutPrefix(f.Name, "wrong/"); ok {
				c.Wrong = append(c.Wrong, File{name, string(f.Data)})
			}
			if name, ok := strings.CutPrefix(f.Name, "right/"); ok {
				c.Right = append(c.Right, File{name, string(f.Data)})
			}
		}
		all = append(all, c)
	}
	return all
}

// examplesOf reads examples/NAME.txtar of blocks, arguments, references and
// window functions: the title, then the files.
func examplesOf(k Kind, name string) []Example {
	switch k {
	case BlockTopic, ArgumentTopic, RootTopic, FunctionTopic:
	default:
		return nil
	}
	archive, err := read("examples/" + strings.ReplaceAll(string(k)+"_"+name, " ", "_"))
	if err != nil {
		return nil // there is none
	}
	e := Example{Title: strings.TrimSpace(string(archive.Comment))}
	for _, f := range archive.Files {
		e.Files = append(e.Files, File{f.Name, string(f.Data)})
	}
	return []Example{e}
}

func read(name string) (*txtar.Archive, error) {
	data, err := fs.ReadFile(files, name+".txtar")
	if err != nil {
		return nil, err
	}
	return txtar.Parse(data), nil
}
