package funcs

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// huge are values from which a call could make more than there is memory for.
func huge() map[string]cty.Value {
	text := func(s string, n int) cty.Value { return cty.StringVal(strings.Repeat(s, n)) }
	list := func(n int) cty.Value {
		all := make([]cty.Value, n)
		for i := range all {
			all[i] = cty.StringVal(fmt.Sprint(i % (n - 10)))
		}
		return cty.ListVal(all)
	}
	return map[string]cty.Value{
		"a4m":     text("a", 4<<20),
		"a100k":   text("a", 100_000),
		"long":    text("b", 200),
		"commas":  text(",", 4<<20),
		"lines":   text("a\n", 2<<20),
		"records": text("a,b,c\n", 200_000),
		"items":   text("- a\n", 900_000),
		"array":   cty.StringVal("[" + strings.Repeat("1,", 200_000) + "1]"),
		"objects": cty.StringVal("[" + strings.Repeat("{},", 200_000) + "1]"),
		"verbs":   text("%9999d", 100_000),
		"chosen":  text("%[1]s", 100_000),
		"groups":  text("$1", 1000),
		"many":    list(50_000),
		"aliases": cty.StringVal("a: &a0 [x, x]\n" + aliases(40) + "z: *a40\n"),
		"hidden":  cty.StringVal("# \"\n" + strings.Repeat("[", 2<<20)),
	}
}

func aliases(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "b%d: &a%d [*a%d, *a%d]\n", i, i, i-1, i-1)
	}
	return b.String()
}

// TestWhatWouldBeTooMuchIsRefusedBeforeItIsMade looks at the memory that is
// asked for: what is counted when it is there has been there.
func TestWhatWouldBeTooMuchIsRefusedBeforeItIsMade(t *testing.T) {
	ctx := &hcl.EvalContext{Functions: Table(Env{}), Variables: huge()}
	for src, want := range map[string]string{
		`split(",", commas)`:               "more than 100000 parts",
		`split("", a4m)`:                   "more than 100000 parts",
		`join(a4m, many)`:                  "a text of more than 16 MiB",
		`replace(a4m, "a", "aaaaaaaa")`:    "a text of more than 16 MiB",
		`replace(a4m, "", a4m)`:            "a text of more than 16 MiB",
		`replace(a100k, "/a/", long)`:      "a text of more than 16 MiB",
		`replace(a100k, "/(a+)/", groups)`: "a text of more than 16 MiB",
		`regexreplace(a100k, "a", long)`:   "a text of more than 16 MiB",
		`regexall("a", a4m)`:               "more than 100000 matches",
		`regexall("(a)(b)?", a100k)`:       "more than 33333 matches",
		`regex("((((((((((x{10}){10}){9})))))))|[^y]{1000}){100}", "x")`: "repeat",
		`regex("(abcdefghijklmnopqrstuvwxyz){1000}", "x")`:               "more than 10000 states",
		`replace("x", "/(abcdefghijklmnopqrstuvwxyz){1000}/", "")`:       "more than 10000 states",
		`regexreplace("x", "(abcdefghijklmnopqrstuvwxyz){1000}", "")`:    "more than 10000 states",
		`csvdecode(records)`:                    "more than 100000 elements",
		`jsondecode(array)`:                     "more than 100000 elements",
		`jsondecode(objects)`:                   "more than 100000 elements",
		`yamldecode(items)`:                     "more than 100000 elements",
		`yamldecode(aliases)`:                   "more than 100000 elements",
		`yamldecode(hidden)`:                    "nested more than 200 levels",
		`format(verbs, 1)`:                      "a text of more than 16 MiB",
		`format(chosen, a4m)`:                   "a text of more than 16 MiB",
		`format("%999999d", 1)`:                 "a width of 999999 is more than 10000",
		`formatlist("%9999s", many)`:            "a text of more than 64 MiB",
		`formatlist("%s %s", many, a4m)`:        "a text of more than 64 MiB",
		`indent(100, lines)`:                    "a text of more than 16 MiB",
		`jsonencode([a4m, a4m, a4m, a4m, a4m])`: "a text of more than 16 MiB",
		`yamlencode([a4m, a4m, a4m, a4m, a4m])`: "a text of more than 16 MiB",
		`setproduct(many, ["a", "b"], ["c"])`:   "more than 100000 in all",
		`setproduct(many, many)`:                "more than 100000 combinations",
		`concat(many, many, many)`:              "more than 100000 elements",
		`range(0, 1e300)`:                       "more than 1024",
	} {
		expr, diags := hclsyntax.ParseExpression([]byte(src), "x.hcl", hcl.InitialPos)
		if diags.HasErrors() {
			t.Fatalf("%s: %v", src, diags)
		}
		before := allocated()
		_, diags = expr.Value(ctx)
		if !diags.HasErrors() || !strings.Contains(diags.Error(), want) {
			t.Errorf("%s: got %.200v, want %q", src, diags, want)
		}
		if made := (allocated() - before) >> 20; made > 300 {
			t.Errorf("%s: %d MB were asked for", src, made)
		}
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// What is large and not too large is made.
func TestWhatIsLargeIsMade(t *testing.T) {
	ctx := &hcl.EvalContext{Functions: Table(Env{}), Variables: huge()}
	for src, want := range map[string]string{
		`length(distinct(many))`:                                  "49990",
		`length(split("\n", replace(lines, "a\n", "")))`:          "1",
		`startswith(join(",", many), "0,1,2,")`:                   "true",
		`endswith(format("%s and %d", a4m, 1), "a and 1")`:        "true",
		`length(concat(many, many))`:                              "100000",
		`length(regexall("a{10}", a100k))`:                        "10000",
		`length(split("\n", regexreplace(a100k, "a{10}", long)))`: "1",
		`length(yamldecode("a: &x {b: 1}\nc: [*x, *x]"))`:         "2",
		`length(jsondecode("[\"[[,,{{\", 1]"))`:                   "2",
		`length(csvdecode("a,b\n\"x,,,\n\",2\n"))`:                "1",
		`length(distinct([1, 1.0, 2, "1"]))`:                      "2",
		`length(distinct([[1], [1], [2], []]))`:                   "3",
	} {
		expr, diags := hclsyntax.ParseExpression([]byte(src), "x.hcl", hcl.InitialPos)
		if diags.HasErrors() {
			t.Fatalf("%s: %v", src, diags)
		}
		v, diags := expr.Value(ctx)
		if diags.HasErrors() || show(v) != want {
			t.Errorf("%s: got %.100v %.200v, want %s", src, show(v), diags, want)
		}
	}
}

// A template ends where no more may be taken.
func TestATemplateTakesNoMoreThanItIsGiven(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"loops":   "%{for a in k}%{for b in k}%{for c in k}x%{endfor}%{endfor}%{endfor}",
		"nothing": "%{for a in k}%{for b in k}%{for c in k}${[for d in k : d if false] == [] ? \"\" : \"\"}%{endfor}%{endfor}%{endfor}",
		"doubled": "%{for a in [\"${t}${t}\"]}%{for b in [\"${a}${a}\"]}%{for c in [\"${b}${b}\"]}%{for d in [\"${c}${c}${c}${c}${c}${c}\"]}${length(d)}%{endfor}%{endfor}%{endfor}%{endfor}",
		"calls":   "%{for a in k}${upper(t)}%{endfor}",
		"few":     "%{for a in k}${upper(a)}%{endfor}",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var numbers []cty.Value
	for i := range 1000 {
		numbers = append(numbers, cty.NumberIntVal(int64(i)))
	}
	vars := cty.ObjectVal(map[string]cty.Value{"k": cty.ListVal(numbers), "t": cty.StringVal(strings.Repeat("a", 1<<20))})
	resolve := func(path string) (string, error) { return filepath.Join(dir, path), nil }
	for name, enough := range map[string]bool{"loops": false, "nothing": false, "doubled": false, "calls": false, "few": true} {
		left := 100_000
		f := TemplateFile(resolve, Table(Env{Resolve: resolve}), func(n int) bool { left -= n; return left >= 0 }, Work)
		_, err := f.Call([]cty.Value{cty.StringVal(name), vars})
		if (err == nil) != enough {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && !strings.Contains(err.Error(), "it takes too much") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A file's own expressions are counted at what they take at worst. A log of some
// megabytes that a run brings isn't refused for that.
func TestRegularExpressionsAreCountedForWhatTheyAreFor(t *testing.T) {
	args := []cty.Value{cty.StringVal("(error|warning): ([a-z]+)"), cty.StringVal(strings.Repeat("x", 1<<20))}
	if worst, usual := Work("regex", args), UsualWork("regex", args); usual*8 > worst || usual < worst/10 || usual == 0 {
		t.Errorf("%d at worst, mostly %d", worst, usual)
	}
	args[0] = cty.StringVal("error")
	if n := Work("regex", args); n != 0 {
		t.Errorf("a text that is looked for as it is takes %d", n)
	}
}
