package lang

import (
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
)

// Making as many instances as there may be takes seconds, so that what happens
// at the limit is tested by itself.
func TestTooManyInstancesInAllAreReportedOnceAndNoMoreAreMade(t *testing.T) {
	x := &expansion{whole: &sink{}, spent: &spent{made: maxMade - 1, mostMade: maxMade}}
	set := func() *instances {
		s := &instances{decl: &decl{root: rootAction, name: "a", rng: hcl.Range{Filename: "x.hcl"}}, place: &place{}, keys: map[string]*instance{}}
		s.add(cty.NilVal, cty.NilVal)
		return s
	}
	last, more, evenMore := set(), set(), set()
	for _, s := range []*instances{last, more, evenMore} {
		x.crowd(s, nil)
	}
	if len(last.list) != 1 || last.failed {
		t.Error("the last that there may be was not made")
	}
	if len(more.list)+len(evenMore.list) > 0 || !more.failed || !evenMore.failed {
		t.Error("more than there may be were made")
	}
	if len(x.whole.diags) != 1 || diag.CodeOf(x.whole.diags[0]) != diag.TooMany {
		t.Errorf("%v", x.whole.diags)
	}
}
