package main

import (
	"strings"
	"testing"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/source"
	"github.com/scenario-run/scenario/engine/plan"
)

func TestPlansOfVariantsAreKeptAsFarAsOneAloneMayCome(t *testing.T) {
	large := func(key string) planned {
		return planned{&plan.Plan{Vertices: make([]*plan.Vertex, mostKept-1)}, key}
	}
	f := &file{
		set:      &source.Set{Root: &source.File{Name: "x.hcl"}},
		scenario: &lang.Scenario{VariantKeys: []string{"a=1", "a=2"}},
	}
	l := &loaded{files: []*file{f}}
	take := (&selection{}).taker()
	take(f, large("a=1"))
	if err := l.chosen(&selection{}); err != nil || len(f.variants) != 1 {
		t.Fatal(err, len(f.variants))
	}
	take(f, large("a=2"))
	err := l.chosen(&selection{})
	if err == nil || !strings.Contains(err.Error(), "x.hcl: the plans of the variants that are selected come to more than 120000 vertices") {
		t.Error(err)
	}
	if len(f.variants) > 0 {
		t.Error("plans are kept that nobody will see")
	}
}
