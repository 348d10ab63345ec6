package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/reference"
	"github.com/scenario-run/scenario/dsl/schema"
)

func language() *reference.Language { return reference.New(system().registry().Vocabulary()) }

// check writes the files of an example into a directory and takes the first of
// them through load and plan, as validate does.
// That there are no steps is no matter in an example of something else.
func check(t *testing.T, files []reference.File, about string) (codes []diag.Code, text string) {
	t.Helper()
	// Below a directory of its own, so that a path that leaves it leads nowhere.
	dir := filepath.Join(t.TempDir(), "shop")
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(f.Text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w := &world{environ: nil, stdin: strings.NewReader(""), dir: dir}
	s := &selection{vars: variables(files[0].Text)}
	l, err := load(w, system().registry(), s, []string{filepath.Join(dir, files[0].Name)}, lang.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range l.diags() {
		code := diag.CodeOf(d)
		if !slices.Contains(codes, code) && (code != diag.NothingDone || about == string(code)) {
			codes = append(codes, code)
		}
	}
	var out bytes.Buffer
	if err := diag.Print(&out, l.texts, l.diags(), diag.Style{}); err != nil {
		t.Fatal(err)
	}
	return codes, out.String()
}

// variables are what a first line "# scenario run FILE --var NAME=VALUE" gives.
func variables(text string) []string {
	first, _, _ := strings.Cut(text, "\n")
	words := strings.Fields(first)
	var all []string
	for i, word := range words {
		if word == "--var" && i+1 < len(words) && words[0] == "#" {
			all = append(all, words[i+1])
		}
	}
	return all
}

func TestEveryExampleOfTheReferenceIsPlanned(t *testing.T) {
	for _, topic := range language().Topics() {
		if topic.Kind == reference.CodeTopic {
			continue // below
		}
		for _, e := range topic.Examples {
			if e.Files[0].Name == "" {
				continue // a call, which dsl/funcs evaluates
			}
			if codes, text := check(t, e.Files, topic.Name); len(codes) > 0 {
				t.Errorf("%s %s, %q:\n%s", topic.Kind, topic.Name, e.Title, text)
			}
			if !strings.Contains(e.Files[0].Text, topic.Name) {
				t.Errorf("%s %s: the example %q does not use it", topic.Kind, topic.Name, e.Title)
			}
		}
	}
}

func TestEveryCodeHasAnExampleThatProvokesItAndOneThatIsRight(t *testing.T) {
	for _, c := range language().Codes {
		t.Run(string(c.Code), func(t *testing.T) {
			if c.Doc == "" || len(c.Wrong) == 0 || len(c.Right) == 0 {
				t.Fatalf("it has no explanation, or no example: write dsl/reference/codes/%s.txtar", c.Code)
			}
			if c.Code == diag.TooLarge { // too large to be kept
				c.Wrong[0].Text += strings.Repeat("# and so on\n", 9<<20/12)
			}
			if codes, text := check(t, c.Wrong, string(c.Code)); !slices.Equal(codes, []diag.Code{c.Code}) {
				t.Errorf("the wrong one provokes %v:\n%s", codes, text)
			}
			if codes, text := check(t, c.Right, string(c.Code)); len(codes) > 0 {
				t.Errorf("the right one is refused:\n%s", text)
			}
		})
	}
}

func TestEveryBlockAndEveryTypeHasAnExample(t *testing.T) {
	for _, topic := range language().Topics() {
		switch topic.Kind {
		case reference.BlockTopic, reference.ActionTopic, reference.FaultTopic, reference.ProbeTopic, reference.WorkloadTopic,
			reference.NodeKindTopic, reference.RootTopic, reference.FunctionTopic:
			if len(topic.Examples) == 0 {
				t.Errorf("%s %s has no example", topic.Kind, topic.Name)
			}
		}
		if topic.Summary == "" || strings.HasSuffix(topic.Summary, ".") {
			t.Errorf("%s %s: summary %q", topic.Kind, topic.Name, topic.Summary)
		}
	}
}

func TestEveryWordIsFound(t *testing.T) {
	l := language()
	for _, topic := range l.Topics() {
		found := l.Find(string(topic.Kind), topic.Name)
		if !slices.ContainsFunc(found, func(f reference.Topic) bool { return f.Kind == topic.Kind }) {
			t.Errorf("%s %s is not found", topic.Kind, topic.Name)
		}
		var out bytes.Buffer
		for _, width := range []int{40, 80} {
			if err := explain(&out, l, []string{topic.Name}, reference.Style{Width: width}); err != nil {
				t.Error(err)
			}
		}
		if out.Len() == 0 {
			t.Error(fmt.Sprint(topic.Name, " says nothing"))
		}
	}
}

// Every argument and result, in whatever it is nested, and every value that is one
// of a few is found by how a file or a message writes it.
func TestEveryPathAndEveryValueIsFound(t *testing.T) {
	v := system().registry().Vocabulary()
	l := reference.New(v)
	var walk func(path string, o schema.Object)
	walk = func(path string, o schema.Object) {
		for _, a := range o.Attrs {
			if len(l.Find(path+"."+a.Name)) == 0 {
				t.Errorf("%s.%s is not found", path, a.Name)
			}
			for _, e := range a.Enum {
				if len(l.Find(e)) == 0 {
					t.Errorf("%q, a value of %s.%s, is not found", e, path, a.Name)
				}
			}
			walk(path+"."+a.Name, schema.Object{Attrs: a.Fields})
		}
		for _, b := range o.Blocks {
			if len(l.Find(path+"."+b.Name)) == 0 {
				t.Errorf("%s.%s is not found", path, b.Name)
			}
			walk(path+"."+b.Name, b.Body)
			if b.Of == "" {
				continue
			}
			for _, of := range v.Types(b.Of) {
				if o, err := b.BodyOf(of); err == nil && of.Kind == b.Of {
					walk(path+"."+b.Name+"."+of.Name, o)
				}
			}
		}
	}
	for _, b := range lang.Blocks() {
		walk(b.Name, b.Args.And(b.Meta).And(b.Value))
	}
	for _, ty := range l.Types {
		walk(ty.Name, ty.Args)
		if ty.Result != nil {
			walk(ty.Name, ty.Result(cty.UnknownVal(ty.Args.Type())))
		}
	}
	for _, f := range l.Formats {
		if strings.Contains(f.Example, `"SIG`) || strings.Contains(f.Example, "bit") {
			if found := l.Find(f.Example); len(found) != 1 || found[0].Name != string(f.Format) {
				t.Errorf("%s is %v, not in the format %s", f.Example, found, f.Format)
			}
		}
	}
}
