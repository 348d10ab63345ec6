package timeline

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/scenario-run/scenario/engine/event"
)

var update = flag.Bool("update", false, "write the golden files anew")

func stream(t *testing.T, name string) []event.Event {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "streams", name+".ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []event.Event
	if err := event.Read(f, func(e event.Event) error { all = append(all, e); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatalf("%s: no events", name)
	}
	return all
}

func streams(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/streams/*.ndjson")
	if err != nil || len(files) == 0 {
		t.Fatalf("no streams: %v", err)
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(f), ".ndjson"))
	}
	return names
}

func size(w, h int) func() (int, int) { return func() (int, int) { return w, h } }

func options(m Mode, w, h int) Options {
	return Options{Mode: m, Size: size(w, h), WorkDir: "/home/ada/ray", Logs: os.DirFS("testdata/run")}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", file, d)
	}
}

func play(t *testing.T, tl *Timeline, events []event.Event) {
	t.Helper()
	for _, e := range events {
		if err := tl.Write(e); err != nil {
			t.Fatal(err)
		}
	}
}

// visible makes control characters readable in a golden file.
func visible(s string) string { return strings.ReplaceAll(s, "\x1b", "␛") }

func TestPlainOutputIsALinePerEvent(t *testing.T) {
	for _, name := range streams(t) {
		for _, mode := range []struct {
			name  string
			mode  Mode
			color bool
		}{{"plain", Plain, false}, {"plain-color", Plain, true}, {"quiet", Quiet, false}} {
			t.Run(name+"/"+mode.name, func(t *testing.T) {
				var out bytes.Buffer
				o := options(mode.mode, 0, 0)
				o.Color = mode.color
				play(t, New(&out, o), stream(t, name))
				golden(t, name+"."+mode.name+".txt", visible(out.String()))
			})
		}
	}
}

func TestWhatStaysOnATerminalFitsItsWidth(t *testing.T) {
	for _, name := range streams(t) {
		for _, w := range []int{40, 80, 120} {
			t.Run(fmt.Sprintf("%s/%d", name, w), func(t *testing.T) {
				s := &screen{width: 1000}
				play(t, New(s, options(Terminal, w, 24)), stream(t, name))
				for _, row := range s.rows {
					// What has to be copied is not broken, nor are diagnostics,
					// which come as they are.
					if width(row) > w && name != "variants" && !strings.Contains(row, "again  ") && !strings.Contains(row, "artifacts  ") && !strings.Contains(row, "scenario clean") && !strings.Contains(row, "  docker ") {
						t.Errorf("%d cells: %s", width(row), row)
					}
				}
				golden(t, fmt.Sprintf("%s.%d.txt", name, w), s.String())
			})
		}
	}
}

func TestColourOnATerminal(t *testing.T) {
	for _, name := range streams(t) {
		var out bytes.Buffer
		o := options(Terminal, 80, 24)
		o.Color = true
		play(t, New(&out, o), stream(t, name))
		golden(t, name+".80-color.txt", visible(out.String()))
	}
}

func TestWhatRunsIsRedrawnBelowWhatIsFinished(t *testing.T) {
	for _, name := range streams(t) {
		for _, dims := range [][2]int{{40, 10}, {80, 24}, {120, 5}, {80, 4}} {
			t.Run(fmt.Sprintf("%s/%dx%d", name, dims[0], dims[1]), func(t *testing.T) {
				s := &screen{width: dims[0]}
				tl := New(s, options(Terminal, dims[0], dims[1]))
				stay := ""
				for _, e := range stream(t, name) {
					if err := tl.Write(e); err != nil {
						t.Fatal(err)
					}
					region := tl.region.rows(dims[0])
					if most := max(1, min(maxRows, dims[1]-3)); region > most {
						t.Fatalf("after event %d the region has %d rows of at most %d", e.Seq, region, most)
					}
					now := strings.Join(s.rows[:len(s.rows)-region], "\n")
					if !strings.HasPrefix(now, stay) {
						t.Fatalf("event %d changed what is finished:\n%s", e.Seq, cmp.Diff(stay, now))
					}
					stay = now
					before := len(s.rows)
					if err := tl.Tick(e.Time.Add(80 * time.Millisecond)); err != nil {
						t.Fatal(err)
					}
					if len(s.rows) != before {
						t.Fatalf("a tick after event %d made %d rows of %d", e.Seq, len(s.rows), before)
					}
				}
				if n := tl.region.rows(dims[0]); n != 0 {
					t.Errorf("%d rows are left of the region", n)
				}
			})
		}
	}
}

func TestFramesWhileARunGoesOn(t *testing.T) {
	var frames strings.Builder
	s := &screen{width: 100}
	tl := New(s, options(Terminal, 100, 24))
	for _, e := range stream(t, "passed") {
		if err := tl.Write(e); err != nil {
			t.Fatal(err)
		}
		if err := tl.Tick(e.Time.Add(300 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&frames, "--- after event %d\n", e.Seq)
		for _, row := range s.rows[len(s.rows)-tl.region.rows(100):] {
			frames.WriteString(row + "\n")
		}
	}
	golden(t, "frames.txt", frames.String())
}

func TestANarrowerTerminalLeavesNothingOfTheOldRegion(t *testing.T) {
	events := stream(t, "passed")
	w := 120
	s := &screen{width: w}
	tl := New(s, options(Terminal, 0, 0))
	tl.opts.Size = func() (int, int) { return w, 24 }
	play(t, tl, events[:26])
	if len(tl.region.drawn) == 0 {
		t.Fatal("nothing runs at this point")
	}
	// The terminal wraps what stands on it.
	text := s.String()
	w = 50
	s.width, s.rows, s.row = w, nil, 0
	if _, err := s.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	play(t, tl, events[26:])
	for _, row := range s.rows {
		for _, frame := range spinner {
			if strings.Contains(row, frame) {
				t.Errorf("left over: %s", row)
			}
		}
	}
}

func TestMoreStepsThanRowsAreCounted(t *testing.T) {
	s := &screen{width: 80}
	tl := New(s, options(Terminal, 80, 24))
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	write := func(b event.Body) {
		if err := tl.Write(event.Event{Time: now, Variant: "v", Body: b}); err != nil {
			t.Fatal(err)
		}
	}
	write(event.RunStarted{})
	write(event.VariantStarted{Scenario: "v"})
	for i := range 20 {
		write(event.StepStarted{Step: fmt.Sprintf("action.s%d", i), Attempt: 1})
	}
	if n := tl.region.rows(80); n != maxRows {
		t.Errorf("%d rows", n)
	}
	if last := s.rows[len(s.rows)-1]; !strings.Contains(last, "and 13 more") {
		t.Errorf("last row: %s", last)
	}
}

func TestAVariantsLinesComeUnderItsOwnHeader(t *testing.T) {
	var out bytes.Buffer
	tl := New(&out, options(Plain, 0, 0))
	for i, b := range []event.Event{
		{Variant: "a", Body: event.VariantStarted{Scenario: "a"}},
		{Variant: "b", Body: event.VariantStarted{Scenario: "b"}},
		{Variant: "a", Body: event.StepFinished{Step: "action.x", State: event.Passed}},
	} {
		b.Seq = int64(i)
		if err := tl.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	want := "a\n\nb\n\na\n  +0.0s  ✓ action   x\n"
	if out.String() != want {
		t.Errorf("got:\n%s", out.String())
	}
}

// The engine's own part of a step must stay well below a millisecond, and the
// timeline is a part of it.
func BenchmarkAThousandSteps(b *testing.B) {
	var events []event.Event
	add := func(body event.Body) {
		events = append(events, event.Event{Variant: "v", Body: body})
	}
	var steps []event.Step
	for i := range 1000 {
		steps = append(steps, event.Step{Address: fmt.Sprintf("action.s%d", i), Kind: "action", Type: "note", Name: fmt.Sprintf("s%d", i)})
	}
	add(event.VariantStarted{Scenario: "v", Steps: steps})
	for _, s := range steps {
		add(event.StepStarted{Step: s.Address, Attempt: 1})
		add(event.StepFinished{Step: s.Address, State: event.Passed, Summary: "done"})
	}
	for _, m := range []Mode{Plain, Terminal} {
		b.Run(fmt.Sprint(m), func(b *testing.B) {
			for b.Loop() {
				tl := New(io.Discard, options(m, 80, 24))
				for _, e := range events {
					if err := tl.Write(e); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
