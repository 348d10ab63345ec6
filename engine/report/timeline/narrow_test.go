package timeline

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/scenario-run/scenario/engine/event"
)

// copied says that a row is one that is to be copied, which is not broken, or
// a diagnostic, which comes as it is.
func copied(row string) bool {
	if strings.HasPrefix(row, keptIndent) || strings.HasPrefix(row, "  kept ") {
		return true
	}
	for _, part := range []string{"again  ", "artifacts  ", "scenario clean", "  docker ", "error[", "-->", "  12 |", "     | "} {
		if strings.Contains(row, part) {
			return true
		}
	}
	return false
}

func TestEveryWidthFromTwentyOnIsKept(t *testing.T) {
	for _, name := range streams(t) {
		events := stream(t, name)
		for _, w := range []int{20, 21, 25, 29, 30, 35, 39, 47, 59} {
			s := &screen{width: 1000}
			play(t, New(s, options(Terminal, w, 24)), events)
			for _, row := range s.rows {
				if width(row) > w && !copied(row) {
					t.Errorf("%s at %d: %d cells: %s", name, w, width(row), row)
				}
			}
		}
	}
}

func TestATerminalOfAnySizeThatChangesKeepsWhatIsFinished(t *testing.T) {
	for _, name := range streams(t) {
		for seed := range uint64(8) {
			random := rand.New(rand.NewPCG(seed, 7))
			w, h := 80, 24
			s := &screen{width: w}
			tl := New(s, Options{Mode: Terminal, Size: func() (int, int) { return w, h }, WorkDir: "/home/ada/ray"})
			for _, e := range stream(t, name) {
				for range random.IntN(3) {
					w, h = 1+random.IntN(130), 1+random.IntN(30)
					s.resize(w)
				}
				if err := tl.Write(e); err != nil {
					t.Fatalf("%s, seed %d, event %d: %v", name, seed, e.Seq, err)
				}
				if err := tl.Tick(e.Time.Add(80 * time.Millisecond)); err != nil {
					t.Fatalf("%s, seed %d, event %d: %v", name, seed, e.Seq, err)
				}
				if n := tl.region.rows(w); n > max(1, min(maxRows, h-3)) && w >= 20 {
					t.Fatalf("%s, seed %d, event %d: %d rows at %d×%d: %q", name, seed, e.Seq, n, w, h, tl.region.drawn)
				}
			}
			// What is left of a region would show its spinner.
			for _, frame := range spinner {
				if strings.Contains(s.String(), frame) {
					t.Errorf("%s, seed %d: left over:\n%s", name, seed, s)
				}
			}
		}
	}
}

func TestLongAndWideNamesStayOnTheirRow(t *testing.T) {
	names := []string{
		strings.Repeat("a_very_long_name_", 20), strings.Repeat("障害", 60), "👩‍👩‍👧‍👦 family", "e\u0301te\u0301", "tab\there", "\x1b[31mred\x1b[0m", "\u202egnol",
	}
	for _, w := range []int{20, 21, 39, 40, 80, 120} {
		for _, name := range names {
			s := &screen{width: w}
			tl := New(s, options(Terminal, w, 24))
			address := fmt.Sprintf("action.%s[%q]", name, name)
			now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
			play(t, tl, []event.Event{
				{Time: now, Body: event.RunStarted{}},
				{Time: now, Variant: "v", Body: event.VariantStarted{Scenario: name, Description: name, Steps: []event.Step{{Address: address, Kind: "action", Type: name, Name: name}}}},
				{Time: now, Variant: "v", Body: event.StepStarted{Step: address, Attempt: 2}},
				{Time: now, Variant: "v", Body: event.StepProgress{Step: address, Text: name}},
			})
			if n := len(tl.region.drawn); n != 1 || tl.region.rows(w) != 1 {
				t.Errorf("%q at %d: the region has %d lines on %d rows: %q", name, w, n, tl.region.rows(w), tl.region.drawn)
			}
			play(t, tl, []event.Event{{Time: now, Variant: "v", Body: event.StepFinished{Step: address, State: event.Failed, Summary: name}}})
			for _, row := range s.rows {
				if width(row) > w {
					t.Errorf("%q at %d: %d cells: %s", name, w, width(row), row)
				}
			}
			if len(s.rows) != 2 {
				t.Errorf("%q at %d: %d rows:\n%s", name, w, len(s.rows), s)
			}
		}
	}
}

func TestAStepIsCalledByWhatTellsItFromItsLike(t *testing.T) {
	for address, want := range map[string]string{
		"action.one":                              "one",
		`action.one["b"]`:                         `one["b"]`,
		`action.one["a/b.c"]`:                     `one["a/b.c"]`,
		`action.one["a\"/b"]`:                     `one["a\"/b"]`,
		"repeat.round[1]/action.shot":             "round[1]/shot",
		`action.roll["eu"]/action.stop[0]`:        `roll["eu"]/stop[0]`,
		"cleanup/action.log":                      "log",
		"cleanup/repeat.tidy[0]/action.one":       "tidy[0]/one",
		"repeat.a[0]/repeat.b[2]/action.c[\"d\"]": `a[0]/b[2]/c["d"]`,
	} {
		if got := stepName(event.Step{Address: address}); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

func TestAStepOfALaterRoundIsLikeThoseOfTheFirst(t *testing.T) {
	v := newVariant(event.Event{}, event.VariantStarted{Steps: []event.Step{
		{Address: `repeat.soak[0]/action.up["x"]`, Kind: "action", Type: "start", Nodes: []string{"node.db"}},
	}})
	s := v.step(`repeat.soak[41]/action.up["x"]`)
	if s.Type != "start" || len(s.Nodes) != 1 || stepName(s) != `soak[41]/up["x"]` || depth(s) != 1 {
		t.Errorf("%+v", s)
	}
	if s := v.step(`repeat.soak[41]/action.up["y"]`); s.Type != "" || kindOf(s) != "action" {
		t.Errorf("%+v", s)
	}
}
