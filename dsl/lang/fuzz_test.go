package lang_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/source"
)

func loadSource(src []byte) (*lang.Scenario, hcl.Diagnostics) {
	set, diags := source.Load(source.Stdin, source.Options{Stdin: bytes.NewReader(src)})
	s, more := lang.Load(set, lang.Options{Vocabulary: vocabulary()})
	return s, append(diags, more...)
}

// Whatever a file holds, it is loaded without a panic, every problem has a
// code and a place, and what loads expands and evaluates.
func FuzzLoad(f *testing.F) {
	for _, pattern := range []string{"../../cmd/scenario/testdata/wrong/*.hcl", "testdata/right/*.hcl", "../../scenarios/*.hcl"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatal(pattern, err)
		}
		for _, path := range files {
			src, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(src)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) { mustHoldUp(t, src) })
}

// mustHoldUp loads a text, right or wrong.
func mustHoldUp(t *testing.T, src []byte) {
	s, diags := loadSource(src)
	for _, d := range diags {
		if d.Subject == nil || d.Subject.Filename == "" || d.Subject.Start.Line < 1 {
			t.Errorf("no place: %v", d)
		}
		if diag.CodeOf(d) == "" {
			t.Errorf("no code: %v", d)
		}
	}
	if s == nil {
		return
	}
	for _, key := range s.VariantKeys[:min(3, len(s.VariantKeys))] {
		v, diags := s.Expand(key)
		if diags.HasErrors() {
			t.Fatalf("loads but does not expand: %v", diags)
		}
		evaluateAll(v)
	}
}

// A text of which two pieces have changed places, or one has been replaced by
// another, is closer to a person's mistakes than random bytes are.
func TestMixedUpPiecesHoldUp(t *testing.T) {
	rounds := 100
	if testing.Short() {
		rounds = 10
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"expressions", "sensitive", "partition", "soak", "lib/defined"} {
		src, err := os.ReadFile("testdata/right/" + name + ".hcl")
		if err != nil {
			t.Fatal(err)
		}
		if name == "lib/defined" {
			src = append([]byte("scenario \"s\" {}\nnode \"n\" {\n  count = 2\n  image = \"i\"\n}\naction \"rolling_restart\" \"roll\" {\n  nodes = node.n\n}\n"), src...)
		}
		tokens, _ := hclsyntax.LexConfig(src, name, hcl.InitialPos)
		for range rounds {
			pieces := make([][]byte, len(tokens))
			for i, tok := range tokens {
				end := len(src)
				if i+1 < len(tokens) {
					end = tokens[i+1].Range.Start.Byte
				}
				pieces[i] = src[tok.Range.Start.Byte:end]
			}
			a, b := random.IntN(len(pieces)), random.IntN(len(pieces))
			if random.IntN(2) == 0 {
				pieces[a] = pieces[b]
			} else {
				pieces[a], pieces[b] = pieces[b], pieces[a]
			}
			mixed := bytes.Join(pieces, nil)
			mustHoldUp(t, mixed)
			if t.Failed() {
				t.Fatalf("of this:\n%s", mixed)
			}
		}
	}
}

// evaluateAll evaluates everything in a variant before anything has run.
func evaluateAll(v *lang.Variant) hcl.Diagnostics {
	var all hcl.Diagnostics
	scope := v.Planned()
	body := func(b *lang.Body) {
		if b != nil {
			_, diags := b.Eval(scope)
			all = append(all, diags...)
		}
	}
	expr := func(e *lang.Expr) {
		if e != nil {
			_, diags := e.Eval(scope)
			all = append(all, diags...)
			e.Explain(scope)
		}
	}
	for _, n := range v.Nodes {
		body(n.Body)
		body(n.KindBody)
	}
	for _, p := range v.Probes {
		body(p.Body)
		body(p.Results)
	}
	var steps func([]*lang.Step)
	steps = func(list []*lang.Step) {
		for _, s := range list {
			expr(s.Meta.When)
			body(s.Body)
			if s.Assert != nil {
				expr(s.Assert.Condition)
				expr(s.Assert.ErrorMessage)
			}
			for _, round := range s.Rounds {
				steps(round)
			}
			steps(s.Inside)
			body(s.Results)
		}
	}
	steps(v.Steps)
	steps(v.Cleanup)
	for _, o := range v.Outputs {
		expr(o.Value)
	}
	return all
}

// many writes a scenario of n blocks that refer to each other.
func many(n int) []byte {
	var b strings.Builder
	b.WriteString("scenario \"s\" {}\n\nnode \"web\" {\n  count = 3\n  image = \"i\"\n}\n")
	for i := range n / 4 {
		fmt.Fprintf(&b, "probe \"http\" \"p%d\" {\n  url = \"http://${node.web[%d].ip}/\"\n}\n", i, i%3)
		fmt.Fprintf(&b, "action \"exec\" \"x%d\" {\n  node = node.web[0]\n  command = [\"echo\", \"%d\"]\n}\n", i, i)
		fmt.Fprintf(&b, "assert \"a%d\" {\n  condition = probe.p%d.status == 200 && action.x%d.stdout != \"\"\n}\n", i, i, i)
		fmt.Fprintf(&b, "output \"o%d\" {\n  value = action.x%d.elapsed_seconds\n}\n", i, i)
	}
	return []byte(b.String())
}

func BenchmarkLoadTenThousandBlocks(b *testing.B) {
	src := many(10_000)
	for b.Loop() {
		if _, diags := loadSource(src); diags.HasErrors() {
			b.Fatal(diags)
		}
	}
}

func BenchmarkLoadManyVariants(b *testing.B) {
	src, err := os.ReadFile("testdata/right/partition.hcl")
	if err != nil {
		b.Fatal(err)
	}
	src = append(src, "\nmatrix {\n  a = range(100)\n  b = range(10)\n}\n"...)
	for b.Loop() {
		if _, diags := loadSource(src); diags.HasErrors() {
			b.Fatal(diags)
		}
	}
}
