package format_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"

	"github.com/scenario-run/scenario/dsl/format"
	"github.com/scenario-run/scenario/dsl/source"
)

func read(src []byte) (*source.File, hcl.Diagnostics) {
	return source.Read(source.Stdin, bytes.NewReader(src))
}

func formatted(t *testing.T, src string) string {
	t.Helper()
	f, diags := read([]byte(src))
	if diags.HasErrors() {
		t.Fatalf("%q: %v", src, diags)
	}
	out, err := format.File(f)
	if err != nil {
		t.Fatalf("%q: %v", src, err)
	}
	return string(out)
}

func TestFileHasItsCanonicalForm(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"indentation and operators", "a {\n\tb=1+ 2\n    c   =  -x\n}\n", "a {\n  b = 1 + 2\n  c = -x\n}\n"},
		{"equals signs in a column", "a {\n  b = 1\n  long = 2\n}\n", "a {\n  b    = 1\n  long = 2\n}\n"},
		{"comments in a column", "a = 1 # x\nbb = 22 # y\n", "a  = 1  # x\nbb = 22 # y\n"},
		{"labels in quotes", "node web {\n}\naction note \"a\" {}\n", "node \"web\" {\n}\naction \"note\" \"a\" {}\n"},
		{"no spaces at the ends of lines", "# a  \nb = 1 \t\n \nc = 2\n", "# a\nb = 1\n\nc = 2\n"},
		{"one empty line at most", "a = 1\n\n\n\n# c\n\n\nb = 2\n", "a = 1\n\n# c\n\nb = 2\n"},
		{"no empty lines at the edges of a block", "a {\n\n\n  b = 1\n\n}\nc = [\n\n  1,\n\n]\n", "a {\n  b = 1\n}\nc = [\n  1,\n]\n"},
		{"no empty lines at the edges of the file", "\n\n  a = 1\n\n\n", "a = 1\n"},
		{"a newline at the end", "a = 1", "a = 1\n"},
		{"a newline after a comment at the end", "a = 1\n# b ", "a = 1\n# b\n"},
		{"no byte-order mark", "\ufeffnode web {}\n", "node \"web\" {}\n"},
		{"no carriage returns", "# a\r\nb = 1\r\n\r\n/* c \r\n d */\r\n", "# a\nb = 1\n\n/* c\n d */\n"},
		{"a heredoc stays as it is", "a {\n b = <<-EOT\r\n     x  \r\n\r\n\r\n   EOT\r\n}\r\n", "a {\n  b = <<-EOT\n     x  \r\n\r\n\r\n   EOT\n}\n"},
		{"templates stay as they are", `a = "  ${ b }  %{ if c }d%{ endif }"` + "\n", `a = "  ${b}  %{if c}d%{endif}"` + "\n"},
		{"an index is no decimal", "a = 1 .5\nb = x.0 .1  .2 # c\nc = \"${ 1 .5 }\"\n", "a = 1 .5\nb = x.0 .1 .2 # c\nc = \"${1 .5}\"\n"},
		{"a decimal is no index", "a = 1.5+x.0\n", "a = 1.5 + x.0\n"},
		{"wide characters", "ä = \"日本\" # x\nbb = \"a\" # y\n", "ä  = \"日本\" # x\nbb = \"a\"  # y\n"},
		{"nothing", "", ""},
		{"nothing but space", " \r\n\t\n", ""},
		{"nothing but a comment", "# a", "# a\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, _ := read([]byte(c.in)) // an empty file is reported, and has a form
			got, err := format.File(f)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if again := formatted2(t, string(got)); again != string(got) {
				t.Errorf("a second time changes it to %q", again)
			}
		})
	}
}

func formatted2(t *testing.T, src string) string {
	if strings.TrimSpace(src) == "" {
		return src
	}
	return formatted(t, src)
}

// What the project ships is in canonical form.
func TestShippedFilesAreCanonical(t *testing.T) {
	files := hclFiles(t, "../../scenarios", "../../cmd/scenario/templates", "../lang/testdata/right")
	for _, path := range files {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(formatted(t, string(src)), string(src)); diff != "" {
			t.Errorf("%s isn't; scenario fmt %[1]s mends it (-canonical +is):\n%s", path, diff)
		}
	}
}

func hclFiles(t testing.TB, dirs ...string) []string {
	t.Helper()
	files, err := source.FindFiles(dirs)
	if err != nil || len(files) < len(dirs) {
		t.Fatal(err, files)
	}
	return files
}

// seeds are texts of all kinds, those among them that are wrong included.
func seeds(t testing.TB) (all [][]byte) {
	for _, path := range hclFiles(t, "../../scenarios", "../lang/testdata", "../../cmd/scenario/templates") {
		src, err := os.ReadFile(filepath.FromSlash(path))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, src)
	}
	for _, s := range []string{
		"a = 1 .5\n", "a = b - -c\n", "a = !(!b)\n", "a = [for x in y : -x if -x > 1]\n", "a = { b = c, \"d\" : e }\n",
		"a = x ? -y : z.0.1\n", "a = <<A\n${ <<B\nx\nB\n}\nA\n", "a = [ # b\n 1, /* c */ 2 # d\n ]\n", "a = b.*.c[*].d\n",
		"a = f(x...)\n", "a { b = 1 }\n", "a = \"${ # x\n b }\"\n", "a = <<-E\n  %{~ for x in y ~}\n ${x}\n  %{ endfor }\n  E\n",
		"a = 1 /* b */\n /* c */ d = 2\n", "a = ns::f(1)\n", "a = x[ -1 ]\n", "/* a */ b {} // c",
	} {
		all = append(all, []byte(s))
	}
	return all
}

// Whatever a file holds: if it parses, its form is stable, and means the same.
func FuzzFile(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src []byte) { mustKeepItsMeaning(t, src) })
}

func mustKeepItsMeaning(t testingT, src []byte) {
	before, diags := read(src)
	if diags.HasErrors() {
		return
	}
	out, err := format.File(before)
	if err != nil {
		t.Fatalf("%q: %v", src, err)
	}
	after, diags := read(out)
	if diags.HasErrors() {
		t.Fatalf("%q became %q: %v", src, out, diags)
	}
	if diff := cmp.Diff(tree(before.Body), tree(after.Body)); diff != "" {
		t.Errorf("%q became %q, which means something else:\n%s", src, out, diff)
	}
	again, err := format.File(after)
	if err != nil || !bytes.Equal(again, out) {
		t.Errorf("%q became %q, and formatted again %q (%v)", src, out, again, err)
	}
}

var fenced = regexp.MustCompile("(?s)```hcl\n(.*?)```")

// So are the files that the documentation shows.
func TestDocumentedFilesAreCanonical(t *testing.T) {
	shown := 0
	for _, path := range append(documents(t), "../../README.md") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range fenced.FindAllSubmatch(text, -1) {
			shown++
			if diff := cmp.Diff(formatted(t, string(m[1])), string(m[1])); diff != "" {
				t.Errorf("%s shows a file that isn't (-canonical +is):\n%s", path, diff)
			}
		}
	}
	if shown == 0 {
		t.Error("no document shows a file")
	}
}

func documents(t *testing.T) (all []string) {
	err := filepath.WalkDir("../../docs", func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".md" {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
