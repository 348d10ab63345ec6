package lang

import (
	"slices"
	"strings"
	"testing"

	"github.com/scenario-run/scenario/dsl/schema"
)

func TestEveryBlockIsDescribedAsItIsDecoded(t *testing.T) {
	described := map[string]Block{}
	for _, b := range Blocks() {
		described[b.Name] = b
	}
	for name, labels := range topBlocks {
		b, ok := described[name]
		if !ok {
			t.Errorf("block %s is not described", name)
			continue
		}
		var want []string
		for _, l := range labels {
			want = append(want, strings.ToUpper(l))
		}
		if !slices.Equal(b.Labels, want) {
			t.Errorf("labels of %s: %v, want %v", name, b.Labels, want)
		}
		delete(described, name)
	}
	for name := range described {
		t.Errorf("there is no block %s", name)
	}
}

func TestEverythingInABlockIsDocumented(t *testing.T) {
	for _, b := range Blocks() {
		if b.Summary == "" || strings.HasSuffix(b.Summary, ".") {
			t.Errorf("%s: summary %q", b.Name, b.Summary)
		}
		for _, o := range []schema.Object{b.Args, b.Meta, b.Value} {
			documented(t, b.Name, o)
		}
	}
	documented(t, "a file", FileArgs())
	for _, r := range Roots() {
		documented(t, r.Name, r.Value)
	}
}

func documented(t *testing.T, owner string, o schema.Object) {
	t.Helper()
	for _, a := range o.Attrs {
		if !strings.HasSuffix(a.Doc, ".") {
			t.Errorf("%s: %s: %q is not a sentence", owner, a.Name, a.Doc)
		}
	}
	for _, n := range o.Blocks {
		if !strings.HasSuffix(n.Doc, ".") {
			t.Errorf("%s: %s: %q is not a sentence", owner, n.Name, n.Doc)
		}
		documented(t, owner+"."+n.Name, n.Body)
	}
}
