package source

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
)

// Stdin is the path that stands for standard input.
const Stdin = "-"

// stdinName is what ranges and messages call it.
const stdinName = "<stdin>"

// Options are how files are read.
type Options struct {
	AllowOutside bool
	Stdin        io.Reader // what the path "-" is read from
}

// Set is a scenario file with all that it includes.
type Set struct {
	// Files are in the order in which they are merged: what a file includes
	// stands before it, each once. The last is Root.
	Files []*File
	Root  *File
	Tree  Tree
	// Lost says that something that is included isn't there, or can't be read.
	Lost bool
}

// Sources returns the texts of all files by name, for writing diagnostics.
func (s *Set) Sources() map[string][]byte {
	all := map[string][]byte{}
	for _, f := range s.Files {
		if f.Src != nil {
			all[f.Name] = f.Src
		}
	}
	return all
}

// Resolve returns the path to open for one that a file of the set says.
func (s *Set) Resolve(f *File, path string) (string, error) { return s.Tree.Resolve(f.Dir, path) }

// Load reads a scenario file and everything that it includes. The set is there
// in spite of errors, with what could be parsed.
func Load(path string, o Options) (*Set, hcl.Diagnostics) {
	root := &File{Name: filepath.ToSlash(path), Path: path, Dir: filepath.Dir(path)}
	var in io.Reader
	if path == Stdin {
		root.Name, root.Dir = stdinName, "."
		in = o.Stdin
	}
	l := &loader{
		set:  &Set{Root: root, Tree: Tree{Root: root.Dir, AllowOutside: o.AllowOutside}},
		done: map[string]*File{},
	}
	if in == nil && path == Stdin {
		in = strings.NewReader("")
	}
	diags := l.load(root, in, start(root.Name), nil)
	if !diags.HasErrors() || len(l.scenarios) > 0 {
		diags = append(diags, l.oneScenario()...)
	}
	return l.set, diags
}

// loader follows includes.
type loader struct {
	set       *Set
	done      map[string]*File // by real path; nil while a file is being read
	scenarios []*hclsyntax.Block
}

// hop is an include on the way from the root to a file.
type hop struct {
	file *File
	at   hcl.Range
	to   string // real path
}

// load reads a file that the include at a place names, after those that it
// includes itself. Trail is how it was reached.
func (l *loader) load(f *File, in io.Reader, at hcl.Range, trail []hop) hcl.Diagnostics {
	real := realPath(f.Path)
	l.done[real] = nil
	var diags hcl.Diagnostics
	if len(trail) > 0 && isPipe(f.Path) {
		diags = hcl.Diagnostics{pipe(f.Name, at)}
	} else {
		diags = f.read(in, at)
	}
	l.set.Lost = l.set.Lost || f.Body == nil
	if f.Body != nil {
		diags = append(diags, l.includes(f, real, trail)...)
		for _, b := range f.Body.Blocks {
			if b.Type == "scenario" {
				l.scenarios = append(l.scenarios, b)
			}
		}
	}
	l.done[real] = f
	l.set.Files = append(l.set.Files, f)
	return diags
}

func realPath(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path // reading it says what is wrong
	}
	if abs, err := filepath.Abs(real); err == nil {
		return abs
	}
	return real
}

// includes reads what a file includes.
func (l *loader) includes(f *File, real string, trail []hop) hcl.Diagnostics {
	attr, ok := f.Body.Attributes["include"]
	if !ok {
		return nil
	}
	var diags hcl.Diagnostics
	items, listDiags := hcl.ExprList(attr.Expr)
	if listDiags.HasErrors() {
		l.set.Lost = true
		return hcl.Diagnostics{badInclude(attr.Expr)}
	}
	for _, item := range items {
		path, ok := staticString(item)
		if !ok {
			l.set.Lost = true
			diags = append(diags, badInclude(item))
			continue
		}
		diags = append(diags, l.include(f, path, item.Range(), append(trail[:len(trail):len(trail)], hop{f, item.Range(), real}))...)
	}
	return diags
}

func badInclude(e hcl.Expression) *hcl.Diagnostic {
	return diag.New(diag.BadInclude, e.Range(), "include takes a list of plain strings",
		`Files are read before anything is evaluated. Write it as include = ["lib/ray.hcl"].`)
}

func staticString(e hcl.Expression) (string, bool) {
	if len(e.Variables()) > 0 {
		return "", false
	}
	v, diags := e.Value(nil)
	if diags.HasErrors() || v.IsNull() || v.Type() != cty.String {
		return "", false
	}
	return v.AsString(), true
}

// include reads one file that the last of the trail includes, unless it has
// been read.
func (l *loader) include(from *File, path string, at hcl.Range, trail []hop) hcl.Diagnostics {
	if strings.Contains(path, "://") {
		l.set.Lost = true
		return hcl.Diagnostics{diag.New(diag.BadInclude, at, "only files can be included, not what is on a network", "Put a copy beside the scenario: a run must not depend on who answers.")}
	}
	open, err := l.set.Tree.Resolve(from.Dir, path)
	if err != nil {
		l.set.Lost = true
		return hcl.Diagnostics{outside(err, at)}
	}
	real := realPath(open)
	done, seen := l.done[real]
	if seen && done == nil {
		return hcl.Diagnostics{cycle(real, filepath.ToSlash(open), at, trail)}
	}
	if seen {
		return nil
	}
	lib := &File{Name: filepath.ToSlash(open), Path: open, Dir: filepath.Dir(open)}
	return l.load(lib, nil, at, trail)
}

func outside(err error, at hcl.Range) *hcl.Diagnostic {
	if _, ok := err.(*outsideError); ok {
		return diag.New(diag.Outside, at, err.Error(), "")
	}
	return diag.New(diag.Unreadable, at, err.Error(), "")
}

// cycle says that the include at a place leads back to a file that is being
// read: every hop of the circle with its place.
func cycle(real, name string, at hcl.Range, trail []hop) *hcl.Diagnostic {
	var names []string
	var options []diag.Option
	inside := false
	for _, h := range trail {
		inside = inside || h.to == real
		if !inside {
			continue
		}
		names = append(names, h.file.Name)
		if h.at != at {
			options = append(options, diag.Also(h.at, "included from here"))
		}
	}
	names = append(names, name)
	return diag.New(diag.IncludeCycle, at, "files include each other in a circle", strings.Join(names, " → "), options...)
}

// oneScenario checks that the root, and nothing else, has one scenario block.
func (l *loader) oneScenario() hcl.Diagnostics {
	if len(l.scenarios) == 0 {
		return hcl.Diagnostics{diag.New(diag.NoScenario, start(l.set.Root.Name),
			fmt.Sprintf("%s has no scenario block", l.set.Root.Name),
			"A file without one is a library: it can be included, not run.")}
	}
	first := l.scenarios[0]
	for _, b := range l.scenarios {
		if b.TypeRange.Filename == l.set.Root.Name {
			first = b
			break
		}
	}
	var diags hcl.Diagnostics
	for _, b := range l.scenarios {
		if b == first {
			continue
		}
		diags = append(diags, diag.New(diag.SecondScenario, b.DefRange(), "a second scenario block",
			"One file holds one scenario, and what is included is a library, without a scenario block.",
			diag.Also(first.DefRange(), "the scenario is declared here")))
	}
	return diags
}
