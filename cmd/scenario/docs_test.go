package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/scenario-run/scenario/dsl/reference"
)

//go:generate go test -run TestTheReferencePagesAreCurrent . -update

const (
	pagesDir  = "../../docs/reference"
	generated = "<!-- Generated from the program by `make docs`; change what it is made from. -->"
)

// The pages are made by their own test, so that no program is needed for it
// that nobody would run otherwise.
func TestTheReferencePagesAreCurrent(t *testing.T) {
	pages := append(language().Pages(), commandsPage(), exitCodesPage())
	pages = append(pages, indexPage(pages))
	current := map[string]bool{}
	for _, p := range pages {
		current[p.File] = true
		path := filepath.Join(pagesDir, p.File)
		if *update {
			if err := os.WriteFile(path, []byte(p.Text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(got), p.Text); d != "" {
			t.Errorf("%s is not current; run make docs (-file +program):\n%s", path, d)
		}
	}
	found, err := filepath.Glob(filepath.Join(pagesDir, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		if !current[filepath.Base(path)] {
			t.Errorf("nothing generates %s", path)
		}
	}
}

// The examples are checked as data, each with its files, in reference_test.go.
// Here it is what a reader copies from a page that must be one of them.
func TestWhatAPageShowsIsAnExampleThatIsChecked(t *testing.T) {
	known := map[string]bool{}
	for _, topic := range language().Topics() {
		for _, e := range topic.Examples {
			for _, f := range e.Files {
				known[strings.TrimRight(strings.ToValidUTF8(f.Text, "\uFFFD"), "\n")] = true
			}
		}
	}
	fences := 0
	for _, p := range language().Pages() {
		for _, m := range regexp.MustCompile("(?s)\n```hcl\n(.*?)\n?```\n").FindAllStringSubmatch(p.Text, -1) {
			fences++
			if !known[m[1]] {
				t.Errorf("%s shows what no test looks at:\n%s", p.File, m[1])
			}
		}
	}
	if fences < 100 {
		t.Errorf("only %d examples were found", fences)
	}
}

// Links within and between the pages lead somewhere.
func TestLinksOfTheReferenceLeadSomewhere(t *testing.T) {
	all := append(language().Pages(), commandsPage(), exitCodesPage())
	all = append(all, indexPage(all))
	anchors := map[string]bool{}
	for _, p := range all {
		anchors[p.File] = true
		for _, m := range regexp.MustCompile(`<a id="([^"]*)">`).FindAllStringSubmatch(p.Text, -1) {
			if anchors[p.File+"#"+m[1]] {
				t.Errorf("%s has two anchors %s", p.File, m[1])
			}
			anchors[p.File+"#"+m[1]] = true
		}
	}
	for _, p := range all {
		for _, m := range regexp.MustCompile(`\]\(([^)]*)\)`).FindAllStringSubmatch(p.Text, -1) {
			to := m[1]
			if strings.HasPrefix(to, "#") {
				to = p.File + to
			}
			if !anchors[to] && !strings.HasSuffix(to, ".json") {
				t.Errorf("%s links to %s, which isn't there", p.File, m[1])
			}
		}
	}
}

func TestTheHelpOfRunNamesEveryExitCode(t *testing.T) {
	long := newRun(system()).Long
	for _, c := range exitCodes() {
		if !regexp.MustCompile(`\b` + strconv.Itoa(c.code) + `\b`).MatchString(long) {
			t.Errorf("the help of run does not name exit code %d", c.code)
		}
	}
}

func indexPage(pages []reference.Page) reference.Page {
	var b strings.Builder
	fmt.Fprintf(&b, "# Reference\n\n%s\n\n", generated)
	for _, p := range pages {
		fmt.Fprintf(&b, "- [%s](%s)\n", p.Title, p.File)
	}
	b.WriteString("\n`scenario explain` shows the same in a terminal, and `scenario schema --json` gives it as data ([JSON Schema](language.schema.json)).\n")
	return reference.Page{File: "README.md", Title: "Reference", Text: b.String()}
}

func exitCodesPage() reference.Page {
	var b strings.Builder
	fmt.Fprintf(&b, "# Exit codes\n\n%s\n\n| code | |\n|---|---|\n", generated)
	for _, c := range exitCodes() {
		fmt.Fprintf(&b, "| %d | %s |\n", c.code, c.text)
	}
	return reference.Page{File: "exit_codes.md", Title: "Exit codes", Text: b.String()}
}

func commandsPage() reference.Page {
	var b strings.Builder
	fmt.Fprintf(&b, "# Command line\n\n%s\n", generated)
	w := system()
	w.stdout, w.stderr = io.Discard, io.Discard
	root := newRoot(w)
	fmt.Fprintf(&b, "\n%s\n", root.Long)
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() && c.Name() != "help" {
			command(&b, c)
		}
	}
	return reference.Page{File: "commands.md", Title: "Command line", Text: b.String()}
}

func command(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(b, "\n<a id=\"%s\"></a>\n## %s\n\n%s.\n\n```text\n%s\n```\n", c.Name(), c.CommandPath(), c.Short, strings.TrimSuffix(c.UseLine(), " [flags]"))
	if c.Long != "" && !strings.HasPrefix(c.Long, c.Short) {
		fmt.Fprintf(b, "\n%s\n", c.Long)
	}
	if c.Example != "" {
		fmt.Fprintf(b, "\n```text\n%s\n```\n", unindent(c.Example))
	}
	c.InitDefaultHelpFlag()
	first := true
	c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		if first {
			b.WriteString("\n| flag | |\n|---|---|\n")
			first = false
		}
		flagRow(b, f)
	})
	var subs []string
	for _, s := range c.Commands() {
		if s.IsAvailableCommand() {
			subs = append(subs, "`"+s.CommandPath()+"`")
		}
	}
	if slices.Sort(subs); len(subs) > 0 {
		fmt.Fprintf(b, "\nIts commands: %s.\n", strings.Join(subs, ", "))
	}
}

func flagRow(b *strings.Builder, f *pflag.Flag) {
	value, usage := pflag.UnquoteUsage(f)
	name := "`--" + f.Name
	if f.Shorthand != "" {
		name = "`-" + f.Shorthand + "`, " + name
	}
	if value != "" {
		name += " " + strings.ReplaceAll(value, "|", "\\|")
	}
	usage = strings.ToUpper(usage[:1]) + usage[1:] + "."
	if !slices.Contains([]string{"", "false", "0", "0s", "[]"}, f.DefValue) {
		usage += " Default `" + f.DefValue + "`."
	}
	fmt.Fprintf(b, "| %s` | %s |\n", name, usage)
}

func unindent(s string) string {
	var b bytes.Buffer
	for line := range strings.Lines(s) {
		b.WriteString(strings.TrimPrefix(line, "  "))
	}
	return b.String()
}
