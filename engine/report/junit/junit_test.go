package junit_test

import (
	"bytes"
	"encoding/xml"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/report/junit"
	"github.com/scenario-run/scenario/engine/report/outcome"
)

var update = flag.Bool("update", false, "write the golden files anew")

const streams = "../timeline/testdata/streams"

func read(t *testing.T, name string) *outcome.Run {
	t.Helper()
	f, err := os.Open(filepath.Join(streams, name+".ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	run := outcome.New()
	if err := event.Read(f, run.Write); err != nil {
		t.Fatal(err)
	}
	return run
}

func report(t *testing.T, run *outcome.Run) string { return reportOf(t, run, junit.Variants) }

func reportOf(t *testing.T, run *outcome.Run, level junit.Level) string {
	t.Helper()
	var b bytes.Buffer
	if err := junit.Write(&b, run, level); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestStreamsHaveTheirReports(t *testing.T) {
	for _, name := range []string{"passed", "failed_assert", "build_failed", "interrupted", "many_failures", "not_ready", "unasked_exit", "variants"} {
		t.Run(name, func(t *testing.T) {
			got := report(t, read(t, name))
			addsUp(t, got)
			golden(t, name+".xml", got)
		})
	}
}

func TestStepsCanBeCases(t *testing.T) {
	for _, name := range []string{"passed", "failed_assert", "build_failed", "unasked_exit", "variants"} {
		t.Run(name, func(t *testing.T) {
			got := reportOf(t, read(t, name), junit.Steps)
			addsUp(t, got)
			golden(t, name+"_steps.xml", got)
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

type counts struct {
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Errors   int    `xml:"errors,attr"`
	Skipped  int    `xml:"skipped,attr"`
	Time     string `xml:"time,attr"`
}

type parsed struct {
	counts
	Suites []struct {
		counts
		Name  string `xml:"name,attr"`
		Cases []struct {
			Name    string    `xml:"name,attr"`
			Time    string    `xml:"time,attr"`
			Failure *struct{} `xml:"failure"`
			Error   *struct{} `xml:"error"`
			Skipped *struct{} `xml:"skipped"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

func (c *counts) add(o counts) {
	c.Tests += o.Tests
	c.Failures += o.Failures
	c.Errors += o.Errors
	c.Skipped += o.Skipped
	c.Time = thousandths(c.Time, o.Time)
}

func thousandths(times ...string) string {
	sum := 0.0
	for _, s := range times {
		f, err := strconv.ParseFloat(s, 64)
		if err == nil {
			sum += math.Round(f * 1000)
		}
	}
	return fmt.Sprintf("%.3f", sum/1000)
}

// addsUp checks the totals against what stands below them.
func addsUp(t *testing.T, text string) parsed {
	t.Helper()
	var doc parsed
	if err := xml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatalf("not XML: %v\n%s", err, text)
	}
	all := counts{Time: "0.000"}
	for _, s := range doc.Suites {
		sum := counts{Time: "0.000"}
		for _, c := range s.Cases {
			one := counts{Tests: 1, Time: c.Time}
			switch {
			case c.Failure != nil:
				one.Failures = 1
			case c.Error != nil:
				one.Errors = 1
			case c.Skipped != nil:
				one.Skipped = 1
			}
			sum.add(one)
		}
		if d := cmp.Diff(sum, s.counts); d != "" {
			t.Errorf("suite %s (-cases +totals)\n%s", s.Name, d)
		}
		all.add(s.counts)
	}
	if d := cmp.Diff(all, doc.counts); d != "" {
		t.Errorf("all (-suites +totals)\n%s", d)
	}
	return doc
}

// told is a run made of variants that began in that order.
func told(t *testing.T, keys ...string) *outcome.Run {
	t.Helper()
	run := outcome.New()
	at := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	tell := func(variant string, b event.Body) {
		if err := run.Write(event.Event{Time: at, Variant: variant, Body: b}); err != nil {
			t.Fatal(err)
		}
	}
	for _, k := range keys {
		tell(k, event.VariantStarted{Scenario: k, File: "a/" + k[:1] + ".hcl"})
	}
	for i, k := range keys {
		state := []event.State{event.Passed, event.Failed, event.Error, event.Inconclusive, event.Cancelled}[k[len(k)-1]%5]
		if i == len(keys)-1 && len(keys)%2 == 1 {
			continue // never ended
		}
		f := event.VariantFinished{State: state, Seconds: 1.0005 * float64(k[0]-'a'+1)}
		if state != event.Passed {
			f.Cause = &event.Cause{State: state, Message: "reason " + k}
		}
		tell(k, f)
	}
	return run
}

func TestTheOrderOfEventsDoesNotMatter(t *testing.T) {
	keys := []string{"b[x=1]", "a0", "c3", "b[x=2]", "a1", "a4"}
	want := report(t, told(t, keys...))
	addsUp(t, want)
	slices.Reverse(keys)
	if d := cmp.Diff(want, report(t, told(t, keys...))); d != "" {
		t.Errorf("(-one order +the other)\n%s", d)
	}
}

func TestAVariantWithoutAnEndIsAnError(t *testing.T) {
	run := told(t, "a0")
	doc := addsUp(t, report(t, run))
	if doc.Errors != 1 || !strings.Contains(report(t, run), "the run ended before this did") {
		t.Errorf("%+v\n%s", doc, report(t, run))
	}
}

func TestWhatXMLCannotHoldIsLeftOut(t *testing.T) {
	run := outcome.New()
	hostile := "a\x00b\x1b[31mred\x1b[0m\x07 \ufffe\uffff <&>]]>\"' \xff\xc3 日本 \U0001F600 c\r\nd\x1b]0;title\x07e"
	for _, b := range []event.Body{
		event.VariantStarted{Scenario: "s", File: "s.hcl", Dir: "s", Steps: []event.Step{{Address: "assert.a"}}},
		event.StepFinished{Step: "assert.a", State: event.Failed, Summary: hostile, Cause: &event.Cause{State: event.Failed, Message: hostile}},
		event.VariantFinished{State: event.Failed, Step: "assert.a", Cause: &event.Cause{State: event.Failed, Message: hostile, Detail: hostile}},
	} {
		if err := run.Write(event.Event{Variant: "s" + hostile, Body: b}); err != nil {
			t.Fatal(err)
		}
	}
	text := report(t, run)
	addsUp(t, text)
	for _, r := range text {
		if r < 0x20 && r != '\n' && r != '\t' || r == 0xfffe || r == 0xffff || r == 0xfffd {
			t.Errorf("%U is in\n%s", r, text)
		}
	}
	for _, left := range []string{"[31m", "title", "&#xD;"} {
		if strings.Contains(text, left) {
			t.Errorf("%s is in\n%s", left, text)
		}
	}
	var doc struct {
		Case struct {
			Failure struct {
				Message string `xml:"message,attr"`
			} `xml:"failure"`
		} `xml:"testsuite>testcase"`
	}
	if err := xml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	if want := "abred  <&>]]>\"'  日本 😀 c\nde"; doc.Case.Failure.Message != want {
		t.Errorf("%q is left, want %q", doc.Case.Failure.Message, want)
	}
}
