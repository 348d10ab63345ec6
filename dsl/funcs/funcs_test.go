package funcs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

func seeded(n int64) *int64 { return &n }

// eval evaluates source with the functions, in a directory with a few files.
func eval(t *testing.T, dir string, seed *int64, src string) (cty.Value, hcl.Diagnostics) {
	t.Helper()
	expr, diags := hclsyntax.ParseExpression([]byte(src), "x.hcl", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatalf("%s: %v", src, diags)
	}
	resolve := func(path string) (string, error) {
		if strings.HasPrefix(path, "..") {
			return "", errors.New("leaves the directory")
		}
		return filepath.Join(dir, path), nil
	}
	return expr.Value(&hcl.EvalContext{
		Functions: Table(Env{Resolve: resolve, Seed: seed}),
		Variables: map[string]cty.Value{
			"u":     cty.DynamicVal,
			"ub":    cty.UnknownVal(cty.Bool),
			"us":    cty.UnknownVal(cty.String),
			"ulist": cty.UnknownVal(cty.List(cty.String)),
			"uobj":  cty.UnknownVal(cty.Object(map[string]cty.Type{"name": cty.String})),
			"obj":   cty.ObjectVal(map[string]cty.Value{"a": cty.StringVal("x"), "b": cty.UnknownVal(cty.Number)}),
		},
	})
}

func files(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"pid.yaml": "applications:\n- name: pid\n  args: {size: 2}\n", "raw": "\xff\x00", "hello": "hello ${name}, ${upper(name)}\n",
		"broken": "${name", "self": "${templatefile(\"self\", {})}", "number": "${1 + n}", "big": strings.Repeat("x", maxFile+1),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestFunctionsYieldTheirValues(t *testing.T) {
	dir := files(t)
	for src, want := range map[string]string{
		`seconds("1m30s")`:                  `90`,
		`seconds("100ms") == 0.1`:           `true`,
		`seconds("0s")`:                     `0`,
		`sum([])`:                           `0`,
		`sum([1, 2.5])`:                     `3.5`,
		`alltrue([])`:                       `true`,
		`alltrue([true, false, ub])`:        `false`,
		`alltrue([ub, false])`:              `false`,
		`alltrue([true, ub])`:               `unknown bool`,
		`anytrue([])`:                       `false`,
		`anytrue([ub, true])`:               `true`,
		`anytrue([false, ub])`:              `unknown bool`,
		`length("äöü")`:                     `3`,
		`length([1, u])`:                    `2`,
		`length({a = 1})`:                   `1`,
		`length(uobj)`:                      `1`,
		`length(toset(["a", "a"]))`:         `1`,
		`length(ulist)`:                     `unknown number`,
		`length(u)`:                         `unknown number`,
		`one([])`:                           `null`,
		`one(["a"])`:                        `"a"`,
		`one([obj]).a`:                      `"x"`,
		`one(ulist)`:                        `unknown string`,
		`replace("a.b.c", ".", "-")`:        `"a-b-c"`,
		`replace("a1b22", "/[0-9]+/", "#")`: `"a#b#"`,
		`startswith("abc", "ab") && endswith("abc", "bc") && strcontains("abc", "b")`: `true`,
		`base64decode(base64encode("ä"))`:                                             `"ä"`,
		`sha256("")`:                                                                  `"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"`,
		`md5("a")`:                                                                    `"0cc175b9c0f1b6a831c399e269772661"`,
		`jsonencode(jsondecode("{\"a\":[1]}"))`:                                       `"{\"a\":[1]}"`,
		`yamldecode(file("pid.yaml")).applications[0].args.size`:                      `2`,
		`filebase64("raw")`:                                                           `"/wA="`,
		`fileexists("raw")`:                                                           `true`,
		`fileexists("none")`:                                                          `false`,
		`fileexists("sub")`:                                                           `false`,
		`templatefile("hello", {name = "you"})`:                                       `"hello you, YOU\n"`,
		`templatefile("hello", {name = us})`:                                          `unknown string`,
		`templatefile("number", {n = 2})`:                                             `"3"`,
		`file(us)`:                                                                    `unknown string`,
		`try(u.x.y, "d")`:                                                             `unknown dynamic`,
		`try(obj.nothing, "d")`:                                                       `"d"`,
		`can(obj.nothing)`:                                                            `false`,
		`merge({a = 1}, {b = 2}).b`:                                                   `2`,
		`join(",", [for i in range(3) : tostring(i)])`:                                `"0,1,2"`,
		`max([3, 4]...)`:                                                              `4`,
		`urlencode("a b&")`:                                                           `"a+b%26"`,
		`basename("/a/b.txt")`:                                                        `"b.txt"`,
		`dirname("/a/b.txt")`:                                                         `"/a"`,
		`pick(["a"], "k")`:                                                            `"a"`,
		`pick(toset(["a"]), 1, true)`:                                                 `"a"`,
		`pick(ulist)`:                                                                 `unknown string`,
		`timeadd("2026-01-01T00:00:00Z", "1h")`:                                       `"2026-01-01T01:00:00Z"`,
	} {
		v, diags := eval(t, dir, seeded(1), src)
		if diags.HasErrors() {
			t.Errorf("%s: %v", src, diags)
			continue
		}
		if got := show(v); got != want {
			t.Errorf("%s = %s, want %s", src, got, want)
		}
	}
}

func show(v cty.Value) string {
	switch {
	case !v.IsKnown():
		return "unknown " + v.Type().FriendlyName()
	case v.IsNull():
		return "null"
	case v.Type() == cty.String:
		return fmt.Sprintf("%q", v.AsString())
	case v.Type() == cty.Bool:
		return fmt.Sprint(v.True())
	default:
		return v.AsBigFloat().Text('f', -1)
	}
}

func TestFunctionsSayWhatIsWrong(t *testing.T) {
	dir := files(t)
	for src, want := range map[string]string{
		`seconds("soon")`:                      "not a duration",
		`one([1, 2])`:                          "2 elements where at most one is wanted",
		`one("x")`:                             "a list is wanted, not a string",
		`length(5)`:                            "a number has no length",
		`pick([])`:                             "nothing to pick",
		`pick(["a", "b"], [])`:                 "a key is a string, number or bool",
		`file("none")`:                         "none: no such file or directory",
		`file("sub")`:                          "sub: is a directory",
		`file("raw")`:                          "raw: not UTF-8 text; read it with filebase64",
		`file("big")`:                          "big: larger than 4 MiB",
		`file("../x")`:                         "../x: leaves the directory",
		`fileexists("../x")`:                   "leaves the directory",
		`templatefile("hello", {nam = "x"})`:   `hello: line 1, column 9: "name" is not among the values given; did you mean "nam"?`,
		`templatefile("hello", {nam = us})`:    `"name" is not among the values given`,
		`templatefile("broken", {name = "x"})`: "broken: line 1, column",
		`templatefile("self", {})`:             "There is no function named \"templatefile\"",
		`templatefile("hello", "x")`:           "an object or map is wanted, not a string",
		`templatefile("hello", {name = null})`: "hello: line 1",
		`base64decode("***")`:                  "not base64",
		`base64decode("/wA=")`:                 "isn't UTF-8",
		`replace("a", "/(/", "")`:              "missing closing )",
		`sum([1, null])`:                       "an element is null",
		`alltrue([true, null])`:                "an element is null",
		`range(0, 1000000)`:                    "more than 1024",
		`timestamp()`:                          "no function named",
	} {
		_, diags := eval(t, dir, seeded(1), src)
		if !diags.HasErrors() || !strings.Contains(diags.Error(), want) {
			t.Errorf("%s: got %v, want %q", src, diags, want)
		}
	}
}

func TestAFileThatCannotBeReadIsAFileError(t *testing.T) {
	_, diags := eval(t, files(t), nil, `file("none")`)
	extra, ok := hcl.DiagnosticExtra[hclsyntax.FunctionCallDiagExtra](diags[0])
	if !ok {
		t.Fatalf("no function call: %v", diags)
	}
	var fileErr *FileError
	if !errors.As(extra.FunctionCallError(), &fileErr) || fileErr.Path != "none" {
		t.Errorf("got %v", extra.FunctionCallError())
	}
}

func TestPickIsDecidedBySeedAndKeys(t *testing.T) {
	const list = `["a", "b", "c", "d", "e", "f", "g", "h"]`
	pick := func(seed *int64, args string) string {
		v, diags := eval(t, "", seed, "pick("+args+")")
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		return show(v)
	}
	if a, b := pick(seeded(7), list+`, "k", 1`), pick(seeded(7), list+`, "k", "1"`); a != b {
		t.Errorf("the same seed and keys: %s and %s", a, b)
	}
	if got := pick(nil, list); got != "unknown string" {
		t.Errorf("without a seed: %s", got)
	}
	if got := pick(nil, `[1, {}]`); got != "unknown dynamic" {
		t.Errorf("elements of different types: %s", got)
	}
	bySeed, byKey, split := map[string]bool{}, map[string]bool{}, 0
	for i := range int64(200) {
		bySeed[pick(seeded(i), list)] = true
		byKey[pick(seeded(1), fmt.Sprintf("%s, %d", list, i))] = true
		if pick(seeded(i), list+`, "a", "bc"`) != pick(seeded(i), list+`, "ab", "c"`) {
			split++
		}
	}
	if len(bySeed) != 8 || len(byKey) != 8 {
		t.Errorf("%d elements by seed and %d by key of 8 were ever chosen", len(bySeed), len(byKey))
	}
	if split < 100 {
		t.Errorf("keys split differently chose differently in %d of 200 only", split)
	}
}

func TestEveryFunctionDescribesItself(t *testing.T) {
	for name, f := range Table(Env{Resolve: func(p string) (string, error) { return p, nil }}) {
		if f.Description() == "" {
			switch name {
			case "can", "try", "yamldecode", "yamlencode", "tobool", "tolist", "tomap", "tonumber", "toset", "tostring":
				continue // theirs don't
			}
			t.Errorf("%s has no description", name)
		}
	}
}
