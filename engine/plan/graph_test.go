package plan_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/graph/formats/dot"
	"gonum.org/v1/gonum/graph/formats/dot/ast"

	"github.com/scenario-run/scenario/engine/plan"
)

// grouped is a plan with everything that a graph draws: groups, cleanup,
// edges of several causes, steps that are waited for before their end.
func grouped(t testing.TB) *plan.Plan {
	return build(t, node("a")+
		"action \"kill\" \"k\" {\n  nodes = [node.a]\n  background = true\n}\n"+
		"assert \"w\" {\n  condition = scenario.run_id != \"\"\n  throughout = action.k\n  background = true\n}\n"+
		"repeat \"r\" {\n  times = 2\n"+sleep("s", "")+sleep("t", "after = [action.s]")+"}\n"+
		"cleanup {\n"+sleep("x", "")+sleep("y", "")+"}\n")
}

// hostile is a plan with names that mean something in every language that a
// graph is written in.
func hostile(t testing.TB) *plan.Plan {
	return build(t, "node \"n\" {\n  image = \"i:1\"\n}\n"+
		sleep("s", "for_each = "+hostileKeys)+sleep("end", ""))
}

const hostileKeys = `toset(["\"quoted\"", "back\\slash\\", "<b>&amp;", "a\nb", "%%{init: {}}%%", "x];y", "#35;", "end", "日本", "it's -->|a| b", "` + "`*md*`" + `"])`

func TestTheGraphIsDrawnInEachFormat(t *testing.T) {
	p := grouped(t)
	data, err := p.GraphJSON()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/graph.txt", p.GraphText())
	golden(t, "testdata/graph.json", string(data))
	golden(t, "testdata/graph.dot", p.DOT())
	golden(t, "testdata/graph.mmd", plan.Mermaid(p))
	golden(t, "testdata/graph_two.mmd", plan.Mermaid(p, p))
	golden(t, "testdata/graph_hostile.mmd", plan.Mermaid(hostile(t)))
}

// What is drawn, read back by another's parser, is the plan.
func TestGraphvizReadsWhatThePlanSays(t *testing.T) {
	plans := []*plan.Plan{grouped(t), hostile(t)}
	for _, name := range shippedNames(t) {
		plans = append(plans, shipped(t, name)...)
	}
	for _, p := range plans {
		file, err := dot.ParseString(p.DOT())
		if err != nil || len(file.Graphs) != 1 {
			t.Fatalf("%v in\n%s", err, p.DOT())
		}
		var got drawn
		got.read(t, file.Graphs[0].Stmts)
		var want drawn
		for _, v := range p.Vertices {
			want.vertices = append(want.vertices, v.ID)
			for _, e := range v.Waits {
				want.edges = append(want.edges, e.On+" → "+v.ID)
			}
		}
		want.sort()
		got.sort()
		if d := cmp.Diff(want, got, cmp.AllowUnexported(drawn{})); d != "" {
			t.Errorf("%s (-plan +drawn)\n%s", p.Name(), d)
		}
	}
}

type drawn struct{ vertices, edges []string }

func (d *drawn) sort() {
	slices.Sort(d.vertices)
	slices.Sort(d.edges)
	d.edges = slices.Compact(d.edges)
}

func (d *drawn) read(t *testing.T, stmts []ast.Stmt) {
	for _, s := range stmts {
		switch s := s.(type) {
		case *ast.NodeStmt:
			id := unquote(t, s.Node.ID)
			d.vertices = append(d.vertices, id)
			if label := unquote(t, s.Attrs[0].Val); !strings.HasPrefix(label, id+"\n") {
				t.Errorf("%q has the label %q", id, label)
			}
		case *ast.EdgeStmt:
			d.edges = append(d.edges, unquote(t, s.From.(*ast.Node).ID)+" → "+unquote(t, s.To.Vertex.(*ast.Node).ID))
		case *ast.Subgraph:
			if !strings.HasPrefix(unquote(t, s.ID), "cluster") {
				t.Errorf("subgraph %s isn't a cluster", s.ID)
			}
			d.read(t, s.Stmts)
		}
	}
}

// unquote reads a quoted string of Graphviz as a label shows it.
func unquote(t *testing.T, s string) string {
	t.Helper()
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		t.Fatalf("%s isn't quoted", s)
	}
	var b strings.Builder
	for rest := s[1 : len(s)-1]; rest != ""; rest = rest[1:] {
		if rest[0] == '\\' {
			rest = rest[1:]
			switch rest[0] {
			case 'n':
				b.WriteByte('\n')
				continue
			case '\\', '"':
			default:
				t.Fatalf("\\%c means something else in %s", rest[0], s)
			}
		}
		b.WriteByte(rest[0])
	}
	return b.String()
}

var (
	mermaidText = `"(?:[^"#&<>` + "`" + `%\\\n]|#(?:quot|35|amp|lt|gt|96|37|92);|<br/>)*"`
	mermaidLine = regexp.MustCompile(`^(?:flowchart TD|\s+subgraph g\d+\[` + mermaidText + `\]|\s+end|\s+v\d+\[` + mermaidText + `\]|  v\d+ -->\|` + mermaidText + `\| v\d+)$`)
)

func TestMermaidTextsAreEscaped(t *testing.T) {
	for _, p := range []*plan.Plan{grouped(t), hostile(t)} {
		for line := range strings.Lines(plan.Mermaid(p, p)) {
			if !mermaidLine.MatchString(strings.TrimSuffix(line, "\n")) {
				t.Errorf("not escaped: %s", line)
			}
		}
	}
}

func TestTheGraphAsDataHoldsThePlan(t *testing.T) {
	p := hostile(t)
	data, err := p.GraphJSON()
	if err != nil {
		t.Fatal(err)
	}
	var g struct {
		Vertices []struct{ ID, Group string }
		Edges    []struct{ From, To string }
		Groups   []struct{ ID string }
	}
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	edges := 0
	for _, v := range p.Vertices {
		edges += len(v.Waits)
	}
	if len(g.Vertices) != len(p.Vertices) || len(g.Edges) != edges || len(g.Groups) != 1 || g.Groups[0].ID != "provision" {
		t.Errorf("%d of %d vertices, %d of %d edges, groups %v", len(g.Vertices), len(p.Vertices), len(g.Edges), edges, g.Groups)
	}
}
