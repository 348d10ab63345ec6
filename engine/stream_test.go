package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/step"
)

// fullDisk takes a few writes, then no more.
type fullDisk struct{ left atomic.Int32 }

func (d *fullDisk) Write(b []byte) (int, error) {
	if d.left.Add(-1) < 0 {
		return 0, errors.New("no space left on device")
	}
	return len(b), nil
}

func (d *fullDisk) Close() error { return nil }

func TestALogThatCanNotBeWrittenIsReportedAndSinksGetTheRest(t *testing.T) {
	var seen []event.Event
	sink := event.SinkFunc(func(e event.Event) error { seen = append(seen, e); return nil })
	s := newStream(step.SystemClock{}, time.Now(), &fullDisk{}, []event.Sink{sink})
	for range 10 {
		s.emit("", event.Warning{Text: "x"})
	}
	if err := s.close(); err == nil || !strings.Contains(err.Error(), "write the event log: no space left on device") {
		t.Errorf("%v", err)
	}
	if len(seen) != 10 {
		t.Errorf("the sink got %d events", len(seen))
	}
}

func TestASinkThatFailsGetsNothingMore(t *testing.T) {
	calls := 0
	sink := event.SinkFunc(func(event.Event) error { calls++; return errors.New("broken pipe") })
	s := newStream(step.SystemClock{}, time.Now(), &fullDisk{}, []event.Sink{sink})
	for range 10 {
		s.emit("", event.Warning{Text: "x"})
	}
	if err := s.close(); err == nil || !strings.Contains(err.Error(), "broken pipe") {
		t.Errorf("%v", err)
	}
	if calls != 1 {
		t.Errorf("called %d times", calls)
	}
}

func TestAFullDiskIsAnErrorAndEverythingIsRemovedAllTheSame(t *testing.T) {
	s := newScene()
	dir := t.TempDir()
	// Where logs of nodes should go there is no room.
	if err := os.MkdirAll(filepath.Join(dir, "s", "default"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "s", "default", "nodes"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s.node("a", nil)
	s.then(s.action("it", nothing))
	s.inCleanup(s.action("tidy", nothing))
	p := s.play(t, dir)
	p.expect(t, 4)
	p.step(t, "cleanup/action.tidy")
	if p.err == nil || !strings.Contains(p.err.Error(), "write s/default/nodes/a.log") {
		t.Errorf("%v", p.err)
	}
}

func TestRedactorHidesEveryForm(t *testing.T) {
	r := newRedactor([]string{"pa\"w", "line one of it\nshort\nline two of it", "12345", " "})
	tests := map[string]string{
		`say pa"w`:                 `say (sensitive)`,
		`say pa\"w`:                `say (sensitive)`,
		"x line one of it":         "x (sensitive)",
		"short":                    "short",
		"nothing to see":           "nothing to see",
		"12345 and line two of it": "(sensitive) and (sensitive)",
	}
	for in, want := range tests {
		if got := r.text(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := string(r.json([]byte(`{"a":12345,"b":["pa\"w",1.50]}`))); got != `{"a":"(sensitive)","b":["(sensitive)",1.50]}` {
		t.Errorf("%s", got)
	}
}

func TestASecretIsHiddenAsItIsUsuallyWritten(t *testing.T) {
	r := newRedactor([]string{"p&ss wörd/1"})
	for _, form := range []string{
		"p&ss wörd/1", `p\u0026ss wörd/1`, "p%26ss+w%C3%B6rd%2F1", "p&ss%20w%C3%B6rd%2F1", "cCZzcyB3w7ZyZC8x",
	} {
		if got := r.text("x " + form + " y"); got != "x (sensitive) y" {
			t.Errorf("%s: %q", form, got)
		}
	}
}

func TestAShortSecretIsHiddenWhereAValueIsNothingElse(t *testing.T) {
	r := newRedactor([]string{"abc", "42"})
	in := event.StepFinished{
		Step: "action.abc", Summary: "42 abc", Result: []byte(`{"abc":"abc","list":["abcd",42,421]}`),
		Cause: &event.Cause{Message: "abc", Excerpt: &event.Excerpt{Values: []event.Value{
			{Expr: "var.key", Text: `"abc"`}, {Expr: "var.pin", Text: "42"}, {Expr: "x", Text: `"abcd"`},
		}}},
	}
	out := r.body(in).(event.StepFinished)
	if out.Step != "action.abc" || out.Summary != "42 abc" || out.Cause.Message != "abc" {
		t.Errorf("free text was changed: %+v", out)
	}
	if got := string(out.Result); got != `{"abc":"(sensitive)","list":["abcd","(sensitive)",421]}` {
		t.Errorf("%s", got)
	}
	var texts []string
	for _, v := range out.Cause.Excerpt.Values {
		texts = append(texts, v.Text)
	}
	if got := strings.Join(texts, " "); got != `(sensitive) (sensitive) "abcd"` {
		t.Errorf("%s", got)
	}
}

func TestRedactedEventsKeepTheirStatesAndDoNotTouchTheOriginal(t *testing.T) {
	r := newRedactor([]string{"passed"})
	cause := &event.Cause{State: event.Failed, Message: "it passed"}
	in := event.StepFinished{Step: "action.x", State: event.Passed, Cause: cause, Result: []byte(`{"a":"passed"}`)}
	out := r.body(in).(event.StepFinished)
	if out.State != event.Passed || out.Cause.Message != "it (sensitive)" || string(out.Result) != `{"a":"(sensitive)"}` {
		t.Errorf("%+v", out)
	}
	if cause.Message != "it passed" {
		t.Error("the original was changed")
	}
}

func TestShow(t *testing.T) {
	long := make([]cty.Value, 200)
	for i := range long {
		long[i] = cty.NumberIntVal(int64(i))
	}
	tests := []struct {
		v    cty.Value
		want string
	}{
		{cty.StringVal(`a"b`), `"a\"b"`},
		{cty.NumberIntVal(1234567), "1234567"},
		{cty.NumberFloatVal(0.25), "0.25"},
		{cty.NumberFloatVal(0.123456), "0.1235"},
		{cty.True, "true"},
		{cty.NullVal(cty.String), "null"},
		{cty.UnknownVal(cty.Number), "no value yet"},
		{cty.StringVal("x").Mark("sensitive"), "(sensitive)"},
		{cty.TupleVal([]cty.Value{cty.Zero, cty.StringVal("x")}), `[0, "x"]`},
		{cty.ObjectVal(map[string]cty.Value{"b": cty.Zero, "a": cty.EmptyTupleVal}), "{a = [], b = 0}"},
	}
	for _, tt := range tests {
		if got := show(tt.v); got != tt.want {
			t.Errorf("%s, want %s", got, tt.want)
		}
	}
	if got := show(cty.TupleVal(long)); len(got) > maxShown+len("…") {
		t.Errorf("%d bytes", len(got))
	}
}

func TestFileNames(t *testing.T) {
	if got := fileName("storage=redis,size=1"); got != "storage=redis,size=1" {
		t.Error(got)
	}
	a, b := fileName("a/b"), fileName("a_b")
	if strings.ContainsAny(a, `/"`) || a == b || fileName(`..`) == ".." || fileName("") == "" {
		t.Errorf("%s %s %q", a, b, fileName(".."))
	}
	if got := fileName(strings.Repeat("x", 1000)); len(got) > 255 {
		t.Errorf("%d bytes", len(got))
	}
}

func TestLatestPointsToTheNewestRun(t *testing.T) {
	home := t.TempDir()
	for _, id := range []string{"one", "two"} {
		s := newScene()
		s.opts.Latest = filepath.Join(home, "latest")
		s.then(s.action("it", nothing))
		s.play(t, filepath.Join(home, id)).expect(t, 0)
		if got, err := os.Readlink(filepath.Join(home, "latest")); err != nil || got != id {
			t.Errorf("%s %v", got, err)
		}
	}
}

func TestARunsDirectoryIsNotUsedTwice(t *testing.T) {
	dir := t.TempDir()
	s := newScene()
	s.then(s.action("it", nothing))
	s.play(t, dir).expect(t, 0)
	res, err := Run(context.Background(), Options{Dir: dir})
	if err == nil || res.ExitCode != codeError {
		t.Errorf("%+v %v", res, err)
	}
}
