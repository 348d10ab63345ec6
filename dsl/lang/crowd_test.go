package lang

import (
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/dsl/source"
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

// What is certain to come to too many is refused after the first of them.
func TestTooManyAreForeseen(t *testing.T) {
	load := func(text string) (made int, diags hcl.Diagnostics) {
		set, diags := source.Load(source.Stdin, source.Options{Stdin: strings.NewReader("scenario \"s\" {}\n" + text)})
		p, more := decode(set, Options{Vocabulary: schema.NewVocabulary()})
		problems := &sink{diags: append(diags, more...)}
		scenario, l := prepare(p, problems)
		v := expand(scenario, l, "", problems, nil, newEffort(p.mostEffort, nil))
		return v.x.spent.made, problems.diags
	}
	for name, text := range map[string]string{
		"rounds inside rounds": "repeat \"a\" {\n times = 100\n repeat \"b\" {\n times = 100\n repeat \"c\" {\n times = 100\n assert \"x\" {\n condition = scenario.run_id != \"\"\n }\n }\n }\n}\n",
		"uses of a define": "define \"action\" \"d\" {\n param \"p\" {}\n repeat \"a\" {\n times = 1000\n assert \"x\" {\n condition = param.p != \"\"\n }\n }\n}\n" +
			"action \"d\" \"u\" {\n count = 1000\n p = scenario.run_id\n}\n",
	} {
		t.Run(name, func(t *testing.T) {
			made, diags := load(text)
			if len(diags) != 1 || diag.CodeOf(diags[0]) != diag.TooMany {
				t.Errorf("%.300v", diags)
			}
			if made > maxMade/4 {
				t.Errorf("%d were made", made)
			}
		})
	}
	// The first round may be the only one that has many.
	if made, diags := load("repeat \"a\" {\n times = 1000\n repeat \"b\" {\n times = repeat.index == 0 ? 1000 : 1\n assert \"x\" {\n condition = scenario.run_id != \"\"\n }\n }\n}\n"); len(diags) > 0 {
		t.Errorf("%d were made: %.300v", made, diags)
	}
}
