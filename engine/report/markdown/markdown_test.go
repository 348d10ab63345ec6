package markdown_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/report/markdown"
	"github.com/scenario-run/scenario/engine/report/outcome"
)

var update = flag.Bool("update", false, "write the golden files anew")

func page(t *testing.T, run *outcome.Run, limit int) string {
	t.Helper()
	var b bytes.Buffer
	if err := markdown.Write(&b, run, limit); err != nil {
		t.Fatal(err)
	}
	if b.Len() > limit {
		t.Errorf("%d bytes, %d allowed", b.Len(), limit)
	}
	return b.String()
}

func TestStreamsHaveTheirPages(t *testing.T) {
	for _, name := range []string{"passed", "failed_assert", "build_failed", "interrupted", "variants"} {
		t.Run(name, func(t *testing.T) {
			f, err := os.Open(filepath.Join("../timeline/testdata/streams", name+".ndjson"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			run := outcome.New()
			if err := event.Read(f, run.Write); err != nil {
				t.Fatal(err)
			}
			got, golden := page(t, run, markdown.Limit), filepath.Join("testdata", name+".md")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

// told is a run of which these variants failed with this message.
func told(t *testing.T, message string, variants ...string) *outcome.Run {
	t.Helper()
	run := outcome.New()
	for _, v := range variants {
		for _, body := range []event.Body{
			event.VariantStarted{Scenario: v, File: "a.hcl"},
			event.VariantFinished{State: event.Failed, Cause: &event.Cause{State: event.Failed, Message: message, Detail: message}},
		} {
			if err := run.Write(event.Event{Variant: v, Body: body}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return run
}

func TestNothingInATextIsMarkdownOrHTML(t *testing.T) {
	got := page(t, told(t, "</pre><img src=x> | `a` **b** [c](d) @ada \x1b[31m\x00\n\n| x |", "<b>|v"), markdown.Limit)
	table, _, _ := strings.Cut(got, "\n#### ")
	for _, bad := range []string{"<img", "</pre><", "`a`", "**b**", "[c]", "<b>", "\x1b", "\x00"} {
		if strings.Contains(table, bad) {
			t.Errorf("%q stands in the table:\n%s", bad, table)
		}
	}
	if strings.Count(got, "</pre>") != 1 || strings.Contains(got, "<img") || strings.Contains(got, "\x1b") {
		t.Errorf("the explanation is not text:\n%s", got)
	}
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "| ") && strings.Count(line, "|") != 5 {
			t.Errorf("not four columns: %s", line)
		}
	}
}

func TestAPageKeepsToItsLimitAndSaysWhatIsMissing(t *testing.T) {
	var names []string
	for i := range 1000 {
		names = append(names, fmt.Sprintf("variant_%d", i))
	}
	got := page(t, told(t, strings.Repeat("x", 5000), names...), markdown.Limit)
	if !strings.Contains(got, "more parts, which have no room here") {
		t.Error("nothing says that something is missing")
	}
	if !strings.HasPrefix(got, "### scenario: 1000 failed\n") || strings.Count(got, "\n#### ") < 50 {
		t.Errorf("it begins with %.100s and explains %d", got, strings.Count(got, "\n#### "))
	}
	if got := page(t, told(t, "no", names[:2]...), 400); !strings.Contains(got, "and 2 more parts") && !strings.Contains(got, "and 3 more parts") {
		t.Errorf("a small page:\n%s", got)
	}
}
