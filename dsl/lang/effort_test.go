package lang_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/source"
)

// note is a scenario that evaluates an expression with some locals.
func note(locals, expression string) string {
	return "scenario \"s\" {}\nlocals {\n  k = range(1000)\n  h = range(100)\n" + locals + "}\naction \"note\" \"n\" {\n  values = " + expression + "\n}\n"
}

// madeOf writes locals l1 … of which each is made of the one before it.
func madeOf(n int, first, each string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  l0 = %s\n", first)
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "  l%d = %s\n", i, strings.ReplaceAll(each, "IT", fmt.Sprintf("local.l%d", i-1)))
	}
	return b.String()
}

// TestWhatTakesTooMuchToEvaluateIsRefused holds files against the limits that
// would run for minutes, or fill the memory, without them. What may be done is a
// tenth of what it is otherwise, for the sake of the test's own time.
func TestWhatTakesTooMuchToEvaluateIsRefused(t *testing.T) {
	for name, file := range map[string]string{
		"loops inside each other":              note("", "[for a in local.k : [for b in local.k : 1]]"),
		"loops that make little":               note("", "[for a in local.k : length([for b in local.k : [for c in local.k : c]][0])]"),
		"loops that make nothing":              note("", "[for a in local.k : [for b in local.k : [for c in local.k : 1 if c < 0][0] if b < 0]]"),
		"loops that make objects":              note("", "{ for a in local.k : a => { for b in local.k : b => b } }"),
		"loops that group":                     note("", "{ for a in local.k : 1 => local.k... }"),
		"loops in templates":                   note("", `"%{for a in local.k}%{for b in local.k}%{for c in local.k}x%{endfor}%{endfor}%{endfor}"`),
		"locals made of each other by loops":   note(madeOf(8, "local.k", "[for x in IT : IT]"), "local.l8"),
		"locals made of each other by lists":   note(madeOf(40, "[1]", "[IT, IT]"), "length(local.l40)"),
		"locals made of each other by objects": note(madeOf(40, "{a = 1}", "{a = IT, b = IT}"), "length(local.l40)"),
		"texts made of each other":             note(madeOf(18, `join("", local.k)`, `"${IT}${IT}"`)+"  all = [for x in local.k : upper(local.l11)]\n", "length(local.all)"),
		"splats":                               note(madeOf(3, "[for x in local.k : [x]]", "[for x in local.h : IT]"), "local.l3[*][*][*][0]"),
		"functions":                            note("", "[for a in local.k : concat(local.k, local.k)]"),
		"functions that read much":             note("  big = setproduct(local.k, range(30))\n", "[for a in local.k : length(local.big)]"),
		"comparisons of much":                  note("  big = setproduct(local.k, range(30))\n", "[for a in local.k : local.big == local.big]"),
		"what is tried":                        note("", "[for a in local.k : try([for b in local.k : [for c in local.k : c]], 1)]"),
		"what can be":                          note("", "[for a in local.k : can([for b in local.k : [for c in local.k : c]])]"),
		"arguments by the thousands":           note("  big = setproduct(local.k, range(30))\n", "coalesce([for p in local.big : p[0]]...)"),
		"many instances": note("  big = setproduct(local.k, range(30))\n", "1") +
			"action \"note\" \"m\" {\n  count = 1000\n  values = [local.big, count.index]\n}\n",
		"types of results": func() string {
			b := note("", "[1, 1]")
			for i := range 40 {
				b += fmt.Sprintf("action \"note\" \"n%d\" {\n  values = [action.n%s.values, action.n%s.values]\n}\n", i+1, map[bool]string{true: "", false: fmt.Sprint(i)}[i == 0], map[bool]string{true: "", false: fmt.Sprint(i)}[i == 0])
			}
			return b
		}(),
		"regular expressions": note("  big = join(\"\", [for p in setproduct(local.k, range(30)) : \"aaaaaaaaaa\"])\n", "[for a in local.h : can(regex(\"(a?){10}a{10}b\", local.big))]"),
		"expanded arguments":  note("  big = join(\"\", [for p in setproduct(local.k, range(30)) : \"aaaaaaaaaa\"])\n", "[for a in local.h : can(regex([\"(a?){10}a{10}b\", local.big]...))]"),
		"characters":          note("  big = join(\"\", [for p in setproduct(local.k, range(30)) : \"aaaaaaaaaa\"])\n", "[for a in local.h : length(local.big)]"),
		"defines": "scenario \"s\" {}\ndefine \"action\" \"d\" {\n  param \"p\" {}\n  locals {\n    a = [for x in param.p : [for y in param.p : y]]\n  }\n" +
			"  action \"note\" \"n\" {\n    values = local.a\n  }\n}\naction \"d\" \"u\" {\n  p = range(1000)\n}\n",
	} {
		t.Run(name, func(t *testing.T) {
			set, diags := source.Load(source.Stdin, source.Options{Stdin: strings.NewReader(file)})
			_, more := lang.LoadWithin(set, lang.Options{Vocabulary: vocabulary()}, 200_000)
			diags = append(diags, more...)
			if !diags.HasErrors() {
				t.Fatal("nothing is wrong with it")
			}
			for _, d := range diags {
				if diag.CodeOf(d) != diag.TooMany {
					t.Errorf("%v", d)
				}
			}
			if len(diags) > 2 {
				t.Errorf("%d problems: %.300v", len(diags), diags)
			}
		})
	}
}

// What is evaluated while running is worked out anew each time, but once.
func TestLocalsThatUseEachOtherTwiceAreEvaluatedOnce(t *testing.T) {
	s, diags := loadSource([]byte(note(madeOf(60, "1", "IT - IT + 1"), "local.l60")))
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	v, diags := s.Expand("")
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	if diags := evaluateAll(v); len(diags) > 0 {
		t.Error(diags)
	}
}

// A long list of elements that differ is no slower to convert than one of
// elements that don't.
func TestALongListIsConvertedElementByElement(t *testing.T) {
	for name, expression := range map[string]string{
		"join":    `length(join(",", [for p in setproduct(local.k, range(30)) : p[0] > 500 ? p[0] : "x"]))`,
		"toset":   `length(toset([for p in setproduct(local.k, range(30)) : p[0] > 500 ? p[0] : "x"]))`,
		"tomap":   `length(tomap({for p in setproduct(local.k, range(30)) : "${p[0]} ${p[1]}" => p[0]}))`,
		"arms":    `length(true ? [for p in setproduct(local.k, range(30)) : p[0]] : ["x"])`,
		"sorting": `length(sort([for p in setproduct(local.k, range(30)) : p[0]]))`,
	} {
		t.Run(name, func(t *testing.T) {
			if _, diags := loadSource([]byte(note("", expression))); len(diags) > 0 {
				t.Error(diags)
			}
		})
	}
}

// The address list that a cluster's nodes are given says the same on each: it is
// evaluated once for all of them, beside what differs too.
func TestWhatIsTheSameForAllInstancesIsEvaluatedOnce(t *testing.T) {
	const file = `scenario "s" {}
node "n" {
  count = 1000
  image = "i"
  env = { PEERS = join(",", [for x in node.n : x.ip]), ME = node.n[count.index].name }
  command = ["serve", "--peers", join(",", [for x in node.n : x.ip if x.name != node.n[count.index].name])]
}
`
	set, diags := source.Load(source.Stdin, source.Options{Stdin: strings.NewReader(file)})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	const own = ` if x.name != node.n[count.index].name`
	shared, diags := source.Load(source.Stdin, source.Options{Stdin: strings.NewReader(strings.Replace(file, own, "", 1))})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	opts := lang.Options{Vocabulary: vocabulary()}
	if _, diags := lang.LoadWithin(shared, opts, 100_000); len(diags) > 0 {
		t.Error(diags)
	}
	// One that says something of each instance is evaluated for each. That this is
	// too much is told by a few of them.
	_, diags = lang.LoadWithin(set, opts, 100_000)
	if len(diags) != 1 || diags[0].Summary != "it takes too much to evaluate this for each of 1000 instances" {
		t.Error(diags)
	}
}

// What the first instance takes says little of the others: here ten of a hundred are
// given a list that is long.
func TestInstancesThatDifferAreEvaluated(t *testing.T) {
	const file = `scenario "s" {}
node "n" {
  count = 100
  image = "i"
  command = [for i in range(count.index < 10 ? 1000 : 0) : "${i} of ${count.index}"]
}
`
	for most, refused := range map[int]bool{200_000: false, 20_000: true} {
		set, diags := source.Load(source.Stdin, source.Options{Stdin: strings.NewReader(file)})
		_, more := lang.LoadWithin(set, lang.Options{Vocabulary: vocabulary()}, most)
		if diags = append(diags, more...); diags.HasErrors() != refused {
			t.Errorf("within %d: %v", most, diags)
		}
	}
}

// A text of a million digits takes seconds to be made a number of, so that it is
// none.
func TestATextThatIsTooLongForANumberIsNone(t *testing.T) {
	for name, file := range map[string]string{
		"a function's argument": note("", "abs(local.long)"),
		"its list":              note("", "sum([1, local.long])"),
		"a conversion":          note("", "tonumber(local.long)"),
		"an index":              note("", "[1, 2][local.long]"),
		"an argument":           note("", "1") + "repeat \"r\" {\n  times = local.long\n  action \"note\" \"m\" {\n    values = 1\n  }\n}\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := loadSource([]byte(strings.Replace(file, "locals {\n", "locals {\n  long = join(\"\", local.k)\n", 1)))
			if len(diags) != 1 || !strings.Contains(diags[0].Summary, "a text of more than 1000 characters") {
				t.Errorf("%.400v", diags)
			}
		})
	}
}
