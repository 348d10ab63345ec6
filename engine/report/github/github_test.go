package github_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/report/github"
	"github.com/scenario-run/scenario/engine/report/outcome"
)

var update = flag.Bool("update", false, "write the golden files anew")

func written(t *testing.T, run *outcome.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := github.Write(&b, run, func(file string) string { return "repo/" + file }); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func told(t *testing.T, events ...event.Event) *outcome.Run {
	t.Helper()
	run := outcome.New()
	for _, e := range events {
		if err := run.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	return run
}

func TestStreamsHaveTheirAnnotations(t *testing.T) {
	for _, name := range []string{"passed", "failed_assert", "build_failed", "interrupted", "many_failures", "not_ready", "unasked_exit", "variants"} {
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
			golden := filepath.Join("testdata", name+".txt")
			got := written(t, run)
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
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

// invalid is a file with so many errors and warnings, and a note.
func invalid(t *testing.T, errors, warnings int) event.Event {
	t.Helper()
	all := []outcome.Diagnostic{{Severity: "note", Code: "SCN0505", Summary: "nothing heals it"}}
	add := func(severity string, n int) {
		for i := range n {
			all = append(all, outcome.Diagnostic{
				Severity: severity, Code: "SCN0203", Summary: fmt.Sprintf("%s %d", severity, i+1), Hint: "did you mean this?", Detail: "Because.",
				Place: event.Place{File: "a.hcl", Line: i + 1, Column: 3, EndLine: i + 1, EndColumn: 7},
			})
		}
	}
	add("warning", warnings)
	add("error", errors)
	data, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return event.Event{Body: event.FileInvalid{File: "a.hcl", Diagnostics: data}}
}

func TestAtMostTenAreWrittenTheGravestFirst(t *testing.T) {
	for _, c := range []struct {
		errors, warnings int
		last             string
	}{
		{1, 1, "::warning file=repo/a.hcl,line=1,endLine=1,col=3,endColumn=7,title=SCN0203%3A warning 1::warning 1%0Adid you mean this?%0ABecause."},
		{6, 4, "::warning file=repo/a.hcl,line=4,endLine=4,col=3,endColumn=7,title=SCN0203%3A warning 4::warning 4%0Adid you mean this?%0ABecause."},
		{8, 4, "::warning title=more problems::There are 3 more problems. The log of this step has them all."},
		{30, 4, "::error title=more problems::There are 25 more problems. The log of this step has them all."},
	} {
		lines := strings.Split(strings.TrimSuffix(written(t, told(t, invalid(t, c.errors, c.warnings))), "\n"), "\n")
		if want := min(c.errors+c.warnings, 10); len(lines) != want {
			t.Errorf("%d errors, %d warnings: %d lines", c.errors, c.warnings, len(lines))
		}
		if d := cmp.Diff(c.last, lines[len(lines)-1]); d != "" {
			t.Errorf("%d errors, %d warnings: last (-want +got)\n%s", c.errors, c.warnings, d)
		}
		seenWarning := false
		for _, l := range lines {
			warning := strings.HasPrefix(l, "::warning ")
			if seenWarning && !warning {
				t.Errorf("an error stands below a warning: %s", l)
			}
			seenWarning = seenWarning || warning
		}
	}
}

func TestAnAnnotationNamesTheInstancesThatAreMeant(t *testing.T) {
	for _, c := range []struct{ instances, want string }{
		{`null`, "too much%0ABecause."},
		{`["node.w[2]"]`, "too much%0AFor node.w[2].%0ABecause."},
		{`["a[0]","a[1]","a[2]","a[3]"]`, "too much%0AFor a[0], a[1] and 2 more.%0ABecause."},
	} {
		data := `[{"severity":"error","summary":"too much","detail":"Because.","place":{"file":"a.hcl","line":1},"instances":` + c.instances + `}]`
		got := written(t, told(t, event.Event{Body: event.FileInvalid{File: "a.hcl", Diagnostics: []byte(data)}}))
		if !strings.HasSuffix(got, "::"+c.want+"\n") {
			t.Errorf("%s: got %q", c.instances, got)
		}
	}
}

func TestNothingInATextEndsItsCommandOrBeginsAnother(t *testing.T) {
	hostile := "100% a,b:c::error::x\r\n::set-output name=y::z"
	run := told(t,
		event.Event{Variant: hostile, Body: event.VariantStarted{Scenario: "s", File: hostile}},
		event.Event{Variant: hostile, Body: event.VariantFinished{State: event.Failed, Cause: &event.Cause{State: event.Failed, Message: hostile}}},
		event.Event{Body: event.LeftBehind{What: hostile, Reason: hostile, Command: hostile}},
	)
	const data = "100%25 a,b:c::error::x%0D%0A::set-output name=y::z"
	const property = "100%25 a%2Cb%3Ac%3A%3Aerror%3A%3Ax%0D%0A%3A%3Aset-output name=y%3A%3Az"
	want := "::error file=repo/" + property + ",line=1,endLine=1,col=1,endColumn=1,title=" + property + "%3A failed::" + data + "\n" +
		"::error title=left behind%3A " + property + "::" + data + "%0ARemove it with: " + data + "\n"
	if d := cmp.Diff(want, written(t, run)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestWhatIsPrintedBetweenSilenceAndResumeIsNoCommand(t *testing.T) {
	var b bytes.Buffer
	if err := github.Silence(&b, "token"); err != nil {
		t.Fatal(err)
	}
	if err := github.Resume(&b, "token"); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != "::stop-commands::token\n::token::\n" {
		t.Errorf("%q", got)
	}
}
