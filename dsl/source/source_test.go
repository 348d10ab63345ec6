package source

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"

	"github.com/scenario-run/scenario/dsl/diag"
)

const scenario = "scenario \"x\" {}\n"

// lay writes files below a new directory, makes it the current one, and
// returns it. A content that starts with "-> " is a symbolic link.
func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, ok := strings.CutPrefix(content, "-> "); ok {
			err = os.Symlink(target, path)
		} else {
			err = os.WriteFile(path, []byte(content), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	return dir
}

func names(s *Set) string {
	var all []string
	for _, f := range s.Files {
		all = append(all, f.Name)
	}
	return strings.Join(all, " ")
}

func printed(t *testing.T, s *Set, diags hcl.Diagnostics) string {
	t.Helper()
	var b bytes.Buffer
	if err := diag.Print(&b, s.Sources(), diag.Sort(diags), diag.Style{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestIncludesAreMergedOnceAndBeforeWhatIncludesThem(t *testing.T) {
	lay(t, map[string]string{
		"s/x.hcl":         "include = [\"lib/a.hcl\", \"lib/b.hcl\", \"link.hcl\"]\n" + scenario,
		"s/lib/a.hcl":     "include = [\"sub/c.hcl\"]\nlocals {}\n",
		"s/lib/b.hcl":     "include = [\"./sub/../sub/c.hcl\"]\nlocals {}\n",
		"s/lib/sub/c.hcl": "locals {}\n",
		"s/link.hcl":      "-> lib/b.hcl",
	})
	set, diags := Load("s/x.hcl", Options{})
	if diags.HasErrors() {
		t.Fatal(printed(t, set, diags))
	}
	if got, want := names(set), "s/lib/sub/c.hcl s/lib/a.hcl s/lib/b.hcl s/x.hcl"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if set.Root != set.Files[3] {
		t.Error("the root isn't last")
	}
}

func TestWhatIsWrongWithAFileIsSaidWithItsPlace(t *testing.T) {
	for name, tc := range map[string]struct {
		files map[string]string
		load  string
		want  string
	}{
		"no such file": {nil, "x.hcl", `
error[SCN0101]: there is no file x.hcl
  --> x.hcl:1:1
`},
		"a directory": {map[string]string{"x.hcl/y": ""}, "x.hcl", `
error[SCN0102]: x.hcl is a directory
  --> x.hcl:1:1
      A file is wanted here.
`},
		"empty": {map[string]string{"x.hcl": "\r\n\t"}, "x.hcl", `
error[SCN0103]: x.hcl is empty
  --> x.hcl:1:1
    1 | 
      | ^
`},
		"not UTF-8": {map[string]string{"x.hcl": "# ok\nx = \"ä\xff\"\n"}, "x.hcl", `
error[SCN0104]: not UTF-8: byte 0xff at offset 12
  --> x.hcl:2:7
    2 | x = "ä\xff"
      |       ^^^^
      Save it as UTF-8.
`},
		"UTF-16": {map[string]string{"x.hcl": "\xff\xfes\x00"}, "x.hcl", `
error[SCN0104]: not UTF-8: byte 0xff at offset 0
  --> x.hcl:1:1
    1 | \xff\xfes\x00
      | ^^^^
      It looks like UTF-16. Save it as UTF-8.
`},
		"10 MB": {map[string]string{"x.hcl": strings.Repeat("# text\n", 1_500_000)}, "x.hcl", `
error[SCN0105]: x.hcl is larger than 8 MiB
  --> x.hcl:1:1
      A scenario is text written by a person. Keep data in files of its own and read them with file().
`},
		"several syntax errors": {map[string]string{"x.hcl": scenario + "locals {\n  a = = 1\n}\nlocals {\n  b = [1,\n}\n"}, "x.hcl", `
error[SCN0106]: invalid expression
  --> x.hcl:3:7, in locals
    3 |   a = = 1
      |       ^
      Expected the start of an expression, but found an invalid expression token.

error[SCN0106]: [ is not closed
  --> x.hcl:6:7, in locals
    6 |   b = [1,
      |       ^
      What closes it is missing, or something else stands before it.
`},
		"argument given twice": {map[string]string{"x.hcl": scenario + "node \"a\" {\n  cpus = 1\n  cpus = 2\n}\n"}, "x.hcl", `
error[SCN0207]: argument "cpus" is given twice
  --> x.hcl:4:3, in node "a"
    4 |   cpus = 2
      |   ^^^^
  --> x.hcl:3:3, in node "a"
    3 |   cpus = 1
      |   ^^^^ first given here
`},
		"a library": {map[string]string{"x.hcl": "locals {}\n"}, "x.hcl", `
error[SCN0111]: x.hcl has no scenario block
  --> x.hcl:1:1
    1 | locals {}
      | ^
      A file without one is a library: it can be included, not run.
`},
		"two scenarios": {map[string]string{"x.hcl": scenario + "scenario \"y\" {}\n"}, "x.hcl", `
error[SCN0109]: a second scenario block
  --> x.hcl:2:1
    2 | scenario "y" {}
      | ^^^^^^^^^^^^
  --> x.hcl:1:1
    1 | scenario "x" {}
      | ^^^^^^^^^^^^ the scenario is declared here
      One file holds one scenario, and what is included is a library, without a scenario block.
`},
		"a scenario in a library": {map[string]string{"x.hcl": "include = [\"l.hcl\"]\n" + scenario, "l.hcl": "scenario \"y\" {}\n"}, "x.hcl", `
error[SCN0109]: a second scenario block
  --> l.hcl:1:1
    1 | scenario "y" {}
      | ^^^^^^^^^^^^
  --> x.hcl:2:1
    2 | scenario "x" {}
      | ^^^^^^^^^^^^ the scenario is declared here
      One file holds one scenario, and what is included is a library, without a scenario block.
`},
		"a circle": {map[string]string{"x.hcl": "include = [\"l/a.hcl\"]\n" + scenario, "l/a.hcl": "include = [\"b.hcl\"]\n", "l/b.hcl": "include = [\"a.hcl\"]\n"}, "x.hcl", `
error[SCN0108]: files include each other in a circle
  --> l/b.hcl:1:12
    1 | include = ["a.hcl"]
      |            ^^^^^^^
  --> l/a.hcl:1:12
    1 | include = ["b.hcl"]
      |            ^^^^^^^ included from here
      l/a.hcl → l/b.hcl → l/a.hcl
`},
		"includes itself": {map[string]string{"x.hcl": "include = [\"x.hcl\"]\n" + scenario}, "x.hcl", `
error[SCN0108]: files include each other in a circle
  --> x.hcl:1:12
    1 | include = ["x.hcl"]
      |            ^^^^^^^
      x.hcl → x.hcl
`},
		"computed include": {map[string]string{"x.hcl": "include = [\"${var.x}.hcl\", 3, upper(\"x\")]\n" + scenario}, "x.hcl", `
error[SCN0107]: include takes a list of plain strings
  --> x.hcl:1:12
    1 | include = ["${var.x}.hcl", 3, upper("x")]
      |            ^^^^^^^^^^^^^^
      Files are read before anything is evaluated. Write it as include = ["lib/ray.hcl"].

error[SCN0107]: include takes a list of plain strings
  --> x.hcl:1:28
    1 | include = ["${var.x}.hcl", 3, upper("x")]
      |                            ^
      Files are read before anything is evaluated. Write it as include = ["lib/ray.hcl"].

error[SCN0107]: include takes a list of plain strings
  --> x.hcl:1:31
    1 | include = ["${var.x}.hcl", 3, upper("x")]
      |                               ^^^^^^^^^^
      Files are read before anything is evaluated. Write it as include = ["lib/ray.hcl"].
`},
		"include without a list": {map[string]string{"x.hcl": "include = \"l.hcl\"\n" + scenario}, "x.hcl", `
error[SCN0107]: include takes a list of plain strings
  --> x.hcl:1:11
    1 | include = "l.hcl"
      |           ^^^^^^^
      Files are read before anything is evaluated. Write it as include = ["lib/ray.hcl"].
`},
		"include of what isn't there": {map[string]string{"x.hcl": "include = [\"no.hcl\"]\n" + scenario}, "x.hcl", `
error[SCN0101]: there is no file no.hcl
  --> x.hcl:1:12
    1 | include = ["no.hcl"]
      |            ^^^^^^^^
`},
		"outside by dots": {map[string]string{"s/x.hcl": "include = [\"../l.hcl\"]\n" + scenario, "l.hcl": "locals {}\n"}, "s/x.hcl", `
error[SCN0110]: ../l.hcl leaves the scenario's directory s by ..; --allow-outside permits it
  --> s/x.hcl:1:12
    1 | include = ["../l.hcl"]
      |            ^^^^^^^^^^
`},
		"outside by a link": {map[string]string{"s/x.hcl": "include = [\"l.hcl\"]\n" + scenario, "s/l.hcl": "-> ../l.hcl", "l.hcl": "locals {}\n"}, "s/x.hcl", `
error[SCN0110]: l.hcl leaves the scenario's directory s by a symbolic link; --allow-outside permits it
  --> s/x.hcl:1:12
    1 | include = ["l.hcl"]
      |            ^^^^^^^
`},
		"outside by an absolute path": {map[string]string{"s/x.hcl": "include = [\"/l.hcl\"]\n" + scenario}, "s/x.hcl", `
error[SCN0110]: /l.hcl leaves the scenario's directory s by an absolute path; --allow-outside permits it
  --> s/x.hcl:1:12
    1 | include = ["/l.hcl"]
      |            ^^^^^^^^
`},
	} {
		t.Run(name, func(t *testing.T) {
			lay(t, tc.files)
			set, diags := Load(tc.load, Options{})
			if d := cmp.Diff(strings.TrimPrefix(tc.want, "\n"), printed(t, set, diags)); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if set == nil || set.Root == nil || len(set.Files) == 0 {
				t.Error("no set in spite of errors")
			}
		})
	}
}

func TestPathsMayLeaveTheTreeWhereThatIsAllowed(t *testing.T) {
	dir := lay(t, map[string]string{
		"l.hcl": "locals {}\n", "m.hcl": "locals {}\n", "n.hcl": "locals {}\n", "s/n.hcl": "-> ../n.hcl",
	})
	text := "include = [\"../l.hcl\", \"" + dir + "/m.hcl\", \"n.hcl\"]\n" + scenario
	if err := os.WriteFile("s/x.hcl", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	set, diags := Load("s/x.hcl", Options{AllowOutside: true})
	if diags.HasErrors() {
		t.Fatal(printed(t, set, diags))
	}
	if len(set.Files) != 4 {
		t.Errorf("files %s", names(set))
	}
	if _, diags := Load("s/x.hcl", Options{}); len(diags) != 3 {
		t.Errorf("%d errors where it isn't allowed", len(diags))
	}
}

func TestAPathInALibraryIsRelativeToTheLibrary(t *testing.T) {
	lay(t, map[string]string{
		"s/x.hcl":     "include = [\"lib/a.hcl\"]\n" + scenario,
		"s/lib/a.hcl": "locals {}\n",
		"s/app.py":    "", "out": "", "s/away": "-> ..",
	})
	set, diags := Load("s/x.hcl", Options{})
	if diags.HasErrors() {
		t.Fatal(printed(t, set, diags))
	}
	for path, want := range map[string]string{
		"../app.py": "s/app.py", "new/file": "s/lib/new/file", "../../out": "", "../away/out": "", "../away/new": "", "/etc/passwd": "", "": "",
	} {
		got, err := set.Resolve(set.Files[0], path)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v; want %q", path, got, err, want)
		}
	}
}

func TestByteOrderMarkAndCRLFAreAccepted(t *testing.T) {
	lay(t, map[string]string{"x.hcl": "\ufeffscenario \"x\" {\r\n  timeout = \"5m\"\r\n}\r\n"})
	set, diags := Load("x.hcl", Options{})
	if len(diags) > 0 {
		t.Fatal(printed(t, set, diags))
	}
	at := set.Root.Body.Blocks[0].Body.Attributes["timeout"].NameRange
	if got := string(at.SliceBytes(set.Root.Src)); got != "timeout" || at.Start.Line != 2 {
		t.Errorf("the range of timeout is %v, %q", at, got)
	}
}

func TestStandardInputIsAFileOfTheCurrentDirectory(t *testing.T) {
	lay(t, map[string]string{"l.hcl": "locals {}\n"})
	set, diags := Load("-", Options{Stdin: strings.NewReader("include = [\"l.hcl\"]\n" + scenario)})
	if diags.HasErrors() || names(set) != "l.hcl <stdin>" {
		t.Errorf("%s: %s", names(set), printed(t, set, diags))
	}
	set, diags = Load("-", Options{})
	if len(diags) != 1 || diag.CodeOf(diags[0]) != diag.EmptyFile {
		t.Errorf("without input: %s", printed(t, set, diags))
	}
}

func TestAnUnreadableFileIsAnError(t *testing.T) {
	_, diags := Load("x.hcl", Options{Stdin: nil})
	if !diags.HasErrors() {
		t.Error("a file that isn't there was read")
	}
	set, diags := Load("-", Options{Stdin: failing{}})
	if len(diags) != 1 || !strings.Contains(diags[0].Summary, "can't be read: broken pipe") {
		t.Error(printed(t, set, diags))
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestFindTellsScenariosFromLibraries(t *testing.T) {
	lay(t, map[string]string{
		"s/b.hcl": scenario, "s/a.hcl": scenario, "s/sub/c.hcl": scenario, "s/lib/l.hcl": "locals {}\n",
		"s/empty.hcl": "", "s/broken.hcl": "scenario {{", "s/latin.hcl": "\xff", "s/x.auto.vars.hcl": "a = = 1",
		"s/.hidden/h.hcl": scenario, "s/notes.txt": "x", "s/link.hcl": "-> a.hcl",
		"none/l.hcl": "locals {}\n",
	})
	for name, tc := range map[string]struct {
		paths []string
		want  string
	}{
		"a directory":            {[]string{"s"}, "s/a.hcl s/b.hcl s/broken.hcl s/latin.hcl s/sub/c.hcl"},
		"the current one":        {[]string{"."}, "s/a.hcl s/b.hcl s/broken.hcl s/latin.hcl s/sub/c.hcl"},
		"files, as given":        {[]string{"s/b.hcl", "s/lib/l.hcl", "s/a.hcl"}, "s/b.hcl s/lib/l.hcl s/a.hcl"},
		"each once":              {[]string{"s/b.hcl", "s/sub", "s/sub/../b.hcl", "s/sub/c.hcl"}, "s/b.hcl s/sub/c.hcl"},
		"a pattern":              {[]string{"s/[ab].hcl"}, "s/a.hcl s/b.hcl"},
		"a pattern, directories": {[]string{"s/*"}, "s/a.hcl s/b.hcl s/broken.hcl s/latin.hcl s/sub/c.hcl"},
		"standard input":         {[]string{"-"}, "-"},
		"an empty file, by name": {[]string{"s/empty.hcl"}, "s/empty.hcl"},
		"any extension, by name": {[]string{"s/notes.txt"}, "s/notes.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Find(tc.paths)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tc.want, strings.Join(got, " ")); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestFindSaysWhetherAPathIsMissingOrHoldsNothing(t *testing.T) {
	lay(t, map[string]string{"none/l.hcl": "locals {}\n"})
	var missing *NotThereError
	if _, err := Find([]string{"no.hcl"}); !errors.As(err, &missing) || missing.Path != "no.hcl" {
		t.Errorf("a path that isn't there: %v", err)
	}
	var nothing *NothingError
	for _, p := range []string{"none", "none/*", "zzz*"} {
		if _, err := Find([]string{p}); !errors.As(err, &nothing) || nothing.Path != p {
			t.Errorf("%s: %v", p, err)
		}
	}
}

func TestVariablesComeInOrderWithTheirPlaces(t *testing.T) {
	lay(t, map[string]string{
		"s/x.hcl": scenario, "s/b.auto.vars.hcl": "image = \"i\"\n\ncount = 3\n", "s/a.auto.vars.hcl": "# nothing\n",
		"s/vars.hcl": "x = 1", "bad.hcl": "x = 1\nvariable \"y\" {}\n",
	})
	files, err := AutoVars("s/x.hcl")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"s/a.auto.vars.hcl", "s/b.auto.vars.hcl"}, files); d != "" {
		t.Fatal(d)
	}
	v, diags := LoadVars(files[1])
	if diags.HasErrors() || len(v.Values) != 2 || v.Values[0].Name != "image" || v.Values[1].Range.Start.Line != 3 {
		t.Errorf("%+v, %v", v.Values, diags)
	}
	if _, diags := LoadVars(files[0]); len(diags) > 0 {
		t.Errorf("comments only: %v", diags)
	}
	v, diags = LoadVars("bad.hcl")
	if len(diags) != 1 || diag.CodeOf(diags[0]) != diag.BadVariablesFile || len(v.Values) != 1 {
		t.Errorf("a block: %+v, %v", v.Values, diags)
	}
	if _, diags := LoadVars("none.hcl"); len(diags) != 1 || diag.CodeOf(diags[0]) != diag.Unreadable {
		t.Errorf("no file: %v", diags)
	}
}

func FuzzLoadNeverPanicsAndPlacesEverything(f *testing.F) {
	f.Add(scenario)
	f.Add("include = [\"x.hcl\"]\nscenario \"x\" {\n a = 1\n a = 2\n")
	f.Add("\ufeff x = <<E\r\n")
	f.Fuzz(func(t *testing.T, src string) {
		set, diags := Load("-", Options{Stdin: strings.NewReader(src)})
		for _, d := range diags {
			if d.Subject == nil || d.Subject.Filename == "" || d.Subject.Start.Line < 1 || diag.CodeOf(d) == "" {
				t.Errorf("without a place or a code: %v", d)
			}
		}
		var b bytes.Buffer
		if err := diag.Print(&b, set.Sources(), diags, diag.Style{}); err != nil {
			t.Error(err)
		}
	})
}
