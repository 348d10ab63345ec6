package traffic

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

var programStart = time.Unix(1_700_000_000, 0)

// transcript reads lines that are printed ten seconds after the program's start.
func transcript(t *testing.T, spec ProgramSpec) (*Transcript, *lines) {
	t.Helper()
	got := &lines{t: t}
	now := programStart
	tr := NewTranscript(spec, func() time.Time { return now }, got.add)
	now = programStart.Add(10 * time.Second)
	return tr, got
}

// op is a line of an operation, with its times in seconds after the start.
func op(ok bool, start, end float64, more string) string {
	return fmt.Sprintf(`{"ok": %t, "start": %.3f, "end": %.3f%s}`, ok, 1.7e9+start, 1.7e9+end, more) + "\n"
}

func feedProgram(t *testing.T, tr *Transcript, text ...string) {
	t.Helper()
	for _, s := range text {
		if _, err := tr.Write([]byte(s)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestALineOfAProgramIsASample(t *testing.T) {
	tr, got := transcript(t, ProgramSpec{Workers: 1, Capture: map[string]string{"k": "key", "id": "reply.id"}})
	first := op(true, 1, 1.5, `, "key": "a", "reply": {"id": 7}, "class": "ignored", "code": 200, "bytes": 9`)
	feedProgram(t, tr, first[:20], first[20:]+"\n"+op(false, 2, 2.25, `, "class": "conflict", "error": "no"`), op(false, 3, 3, `, "unknown": true`))
	if err := tr.Stop(); err != nil {
		t.Fatal(err)
	}
	s := got.samples()
	if len(s) != 3 {
		t.Fatalf("%d samples, want 3", len(s))
	}
	ns := func(sec float64) int64 { return programStart.UnixNano() + int64(sec*1e9) }
	near := func(got int64, want float64) bool { d := got - ns(want); return d > -1000 && d < 1000 }
	if a := s[0]; a.Outcome != OK || !near(a.Due, 1) || a.Start != a.Due || !near(a.End, 1.5) || a.Captured["k"] != "a" || a.Captured["id"] != "7" || a.Class != "" || a.Code != 200 || a.Bytes != 9 {
		t.Errorf("the first: %+v", a)
	}
	if b := s[1]; b.Outcome != Failed || b.Class != "conflict" || b.Error != "no" || b.Seq != 1 {
		t.Errorf("the second: %+v", b)
	}
	if c := s[2]; c.Outcome != Unknown || c.Class != Unexpected {
		t.Errorf("the third: %+v", c)
	}
	if last := got.all[len(got.all)-1]; last.Stopped != ns(10) {
		t.Errorf("the last line: %+v", last)
	}
}

func TestSamplesOfSeveralWorkersAreInTheOrderInWhichTheyBegan(t *testing.T) {
	tr, got := transcript(t, ProgramSpec{Workers: 2})
	at := func(w int) string { return fmt.Sprintf(`, "worker": %d`, w) }
	feedProgram(t, tr, op(true, 1, 1.1, at(0)), op(true, 1.2, 1.3, at(0)))
	if n := len(got.all); n != 0 {
		t.Fatalf("%d lines while a worker has said nothing: it may have begun before", n)
	}
	feedProgram(t, tr, op(true, 0.5, 1.25, at(1)))
	if n := len(got.all); n != 3 {
		t.Errorf("%d lines, want all that began before 1.25", n)
	}
	feedProgram(t, tr, op(true, 1.4, 5, at(0)))
	if n := len(got.all); n != 3 {
		t.Errorf("%d lines: the other worker may have begun at 1.3", n)
	}
	feedProgram(t, tr, op(false, 1.3, 6, at(1)))
	var due []float64
	for i, s := range got.samples() {
		if s.Seq != int64(i) {
			t.Errorf("sample %d has number %d", i, s.Seq)
		}
		due = append(due, float64(s.Due-programStart.UnixNano())/1e9)
	}
	if fmt.Sprintf("%.2f", due) != "[0.50 1.00 1.20 1.30 1.40]" {
		t.Errorf("due at %.2f", due)
	}
}

func TestALineSaysWhatOfAProgramHasBeenReported(t *testing.T) {
	tr, got := transcript(t, ProgramSpec{Workers: 1})
	feedProgram(t, tr, op(true, 1, 2, ""))
	if l := got.all[0]; l.Settled != l.End {
		t.Errorf("settled at %d, want the end of what was reported, %d: the next may have begun then", l.Settled, l.End)
	}
}

func TestWhatIsNoOperationIsShown(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{"Starting up\n", `line 2 of the program is no operation: invalid character 'S' looking for beginning of value: "Starting up"`},
		{"[1]\n", "line 2"},
		{`{"start": 1, "end": 1}` + "\n", `"ok" is missing`},
		{`{"ok": true, "end": 1}` + "\n", `"start" is missing`},
		{`{"ok": true, "start": 1}` + "\n", `"end" is missing`},
		{op(true, 3, 2, ""), "it ends 1.000000 s before it starts"},
		{`{"ok": true, "start": 1700000001000, "end": 1700000001000}` + "\n", "1700000001000 is not between the program's start (1700000000.000) and now: times are seconds since 1970"},
		{op(true, -5, 1, ""), "is not between"},
		{op(true, 1.5, 3, `, "key": 1`), "began before the last one had ended; how many go on side by side, workers says"},
		{op(true, 3, 3, `, "key": 1, "worker": 1`), "is of worker 1, which is one more than the 1 that it has"},
		{op(true, 3, 3, `, "other": 1`), `no "key" to capture as k`},
		{strings.Repeat("x", maxOperation+1), "has more than 1048576 bytes"},
	} {
		tr, got := transcript(t, ProgramSpec{Workers: 1, Capture: map[string]string{"k": "key"}})
		feedProgram(t, tr, op(true, 1, 2, `, "key": 1`))
		_, err := tr.Write([]byte(tt.line))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.40q: got %v, want %s", tt.line, err, tt.want)
		}
		if _, again := tr.Write([]byte(op(true, 4, 5, `, "key": 1`))); !errors.Is(again, err) || len(got.samples()) != 1 {
			t.Errorf("%.40q: it was looked at further: %v", tt.line, again)
		}
	}
	tr, _ := transcript(t, ProgramSpec{Workers: 2})
	if _, err := tr.Write([]byte(op(true, 1, 2, ""))); err == nil || !strings.Contains(err.Error(), `"worker" is missing`) {
		t.Errorf("one of two without a worker: %v", err)
	}
}

func TestALineThatWasCutOffByTheStopIsNone(t *testing.T) {
	tr, got := transcript(t, ProgramSpec{Workers: 1})
	feedProgram(t, tr, op(true, 1, 2, ""), `{"ok": tr`)
	if err := tr.Stop(); err != nil || len(got.samples()) != 1 {
		t.Errorf("%v, %d samples", err, len(got.samples()))
	}
}
