package workload

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scenario-run/scenario/engine/traffic"
)

// zero is the moment that the tests' seconds count from.
var zero = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func at(seconds float64) time.Time {
	return zero.Add(time.Duration(seconds * float64(time.Second)))
}

func ns(seconds float64) int64 { return at(seconds).UnixNano() }

// req is one request: when it was due, and how long after that it ended.
type req struct {
	due, took float64
	how       string // ok, a class, or "unknown CLASS"
	code      int
	captured  string // under the name "v"
	flying    bool   // has not ended
}

// every makes n requests, due from a on at a distance of step.
func every(a, step float64, n int, r req) []req {
	list := make([]req, n)
	for i := range list {
		list[i] = r
		list[i].due = a + step*float64(i)
	}
	return list
}

func ok200(took float64) req       { return req{took: took, how: "ok", code: 200} }
func refused(took float64) req     { return req{took: took, how: "refused"} }
func history(parts ...[]req) []req { return slices.Concat(parts...) }

// feed gives requests to a store as a generator would: in the order in which
// they end, each line with the due time of the oldest that has not.
func feed(t *testing.T, s *Store, next float64, all []req) {
	t.Helper()
	type ended struct {
		seq int
		req
	}
	var order []ended
	for i, r := range all {
		if !r.flying {
			order = append(order, ended{i, r})
		}
	}
	slices.SortStableFunc(order, func(a, b ended) int { return cmp.Compare(a.due+a.took, b.due+b.took) })
	done := make([]bool, len(all))
	for _, e := range order {
		done[e.seq] = true
		settled := next
		if i := slices.Index(done, false); i >= 0 {
			settled = all[i].due
		}
		sample := &traffic.Sample{
			Seq: int64(e.seq), Due: ns(e.due), Start: ns(e.due), End: ns(e.due + e.took), Code: e.code, Outcome: traffic.Failed,
		}
		class, isUnknown := strings.CutPrefix(e.how, "unknown ")
		switch {
		case e.how == "ok":
			sample.Outcome = traffic.OK
		case isUnknown:
			sample.Outcome = traffic.Unknown
			fallthrough
		default:
			sample.Class, sample.Error = traffic.Class(class), "no"
		}
		if e.captured != "" {
			sample.Captured = map[string]string{"v": e.captured}
		}
		line, err := json.Marshal(traffic.Line{Sample: sample, Settled: ns(settled)})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Feed(line); err != nil {
			t.Fatal(err)
		}
	}
}

// show writes statistics in one line; "-" is no value.
func show(s Stats) string {
	switch {
	case s.Pending:
		return "pending"
	case s.Total == 0:
		return "total 0"
	}
	num := func(f *float64) string {
		if f == nil {
			return "-"
		}
		return fmt.Sprintf("%.4g", *f)
	}
	dur := func(d *time.Duration) string {
		if d == nil {
			return "-"
		}
		return fmt.Sprintf("%.4g", d.Seconds())
	}
	text := fmt.Sprintf("total %d ok %d failed %d unknown %d late %d error %s rate %s gap %s recovery %s p50 %s p90 %s p99 %s max %s",
		s.Total, s.OK, s.Failed, s.Unknown, s.Late, num(s.ErrorRate), num(s.Rate), dur(s.MaxGap), dur(s.Recovery),
		dur(s.P50), dur(s.P90), dur(s.P99), dur(s.Max))
	if len(s.Classes) > 0 {
		text += fmt.Sprint(" ", s.Classes)
	}
	return text
}

func TestStatisticsOfAWindowAreWhatTheDefinitionsSay(t *testing.T) {
	for _, tt := range []struct {
		name     string
		requests []req
		next     float64 // due time of the request after the last
		window   Window
		now      float64
		want     string
	}{
		{
			name:   "without a line nothing but total has a value",
			window: Window{}, now: 5,
			want: "total 0",
		},
		{
			name:     "a window that no sample is due in has none",
			requests: every(0, 1, 3, ok200(.1)), next: 3,
			window: Window{From: at(.5), To: at(.9)}, now: 3,
			want: "total 0",
		},
		{
			name:     "the whole run goes from the first request to now",
			requests: every(0, 1, 4, ok200(.1)), next: 4,
			now:  3.5,
			want: "total 4 ok 4 failed 0 unknown 0 late 0 error 0 rate 1.143 gap 1 recovery - p50 - p90 - p99 - max 0.1",
		},
		{
			name:     "windows are half-open: due at the start belongs, due at the end does not",
			requests: every(0, 1, 5, ok200(.1)), next: 5,
			window: Window{From: at(1), To: at(3)}, now: 5,
			want: "total 2 ok 2 failed 0 unknown 0 late 0 error 0 rate 1 gap 1 recovery - p50 - p90 - p99 - max 0.1",
		},
		{
			name:     "adjacent windows share no sample",
			requests: every(0, 1, 5, ok200(.1)), next: 5,
			window: Window{From: at(3), To: at(5)}, now: 5,
			want: "total 2 ok 2 failed 0 unknown 0 late 0 error 0 rate 1 gap 1 recovery - p50 - p90 - p99 - max 0.1",
		},
		{
			name:     "a sample belongs to the window that it is due in, whenever it ends",
			requests: []req{{due: 0, took: .1, how: "ok"}, {due: .9, took: 2, how: "ok"}, {due: 2, took: .1, how: "ok"}}, next: 3,
			window: Window{From: at(0), To: at(1)}, now: 3,
			// The gap: 0.1 → 1, the window's end.
			want: "total 2 ok 2 failed 0 unknown 0 late 0 error 0 rate 2 gap 0.9 recovery - p50 - p90 - p99 - max 2",
		},
		{
			name:     "what lies before the first request is no part of a window",
			requests: every(10, 1, 2, ok200(0)), next: 12,
			window: Window{From: at(0)}, now: 12,
			want: "total 2 ok 2 failed 0 unknown 0 late 0 error 0 rate 1 gap 1 recovery - p50 - p90 - p99 - max 0",
		},
		{
			name: "failures by class; unknown is a part of failed",
			requests: []req{
				{due: 0, took: .1, how: "refused"}, {due: 1, took: .5, how: "unknown timeout"},
				{due: 2, took: .1, how: "refused"}, {due: 3, took: .2, how: "http_5xx", code: 503}, {due: 4, took: .1, how: "ok", code: 200},
			},
			next: 5, now: 5,
			// The gap: from the start to 4.1; answered are two.
			want: "total 5 ok 1 failed 4 unknown 1 late 0 error 0.8 rate 1 gap 4.1 recovery - p50 - p90 - p99 - max 0.2 map[http_5xx:1 refused:2 timeout:1]",
		},
		{
			name:     "without any ok the gap is the window's whole length, whatever was before",
			requests: history(every(0, 1, 2, ok200(.1)), every(2, 1, 3, refused(0))), next: 5,
			window: Window{From: at(2), To: at(5)}, now: 9,
			want: "total 3 ok 0 failed 3 unknown 0 late 0 error 1 rate 1 gap 3 recovery - p50 - p90 - p99 - max - map[refused:3]",
		},
		{
			name:     "the gap counts from the last ok before the window",
			requests: history(every(0, 1, 2, ok200(.1)), every(2, 1, 2, refused(0)), every(4, 1, 2, ok200(.1))), next: 6,
			window: Window{From: at(2.5)}, now: 6,
			// 1.1 → 4.1
			want: "total 3 ok 2 failed 1 unknown 0 late 0 error 0.3333 rate 0.8571 gap 3 recovery - p50 - p90 - p99 - max 0.1 map[refused:1]",
		},
		{
			name: "an ok of an earlier window that completes in this one ends a gap",
			requests: []req{
				{due: 0, took: 3, how: "ok"}, {due: 1, took: .1, how: "ok"}, {due: 2, took: .1, how: "refused"}, {due: 6, took: 0, how: "ok"},
			},
			next: 7, window: Window{From: at(2), To: at(7)}, now: 7,
			// 1.1 → 3 → 6 → 7
			want: "total 2 ok 1 failed 1 unknown 0 late 0 error 0.5 rate 0.4 gap 3 recovery - p50 - p90 - p99 - max 0 map[refused:1]",
		},
		{
			name: "the last ok before is the one that completed last, in whatever order they were due",
			requests: []req{
				{due: 0, took: 1.8, how: "ok"}, {due: 1, took: .1, how: "ok"}, {due: 2, took: .1, how: "refused"}, {due: 6, took: 0, how: "ok"},
			},
			next: 7, window: Window{From: at(2), To: at(7)}, now: 7,
			// 1.8 → 6
			want: "total 2 ok 1 failed 1 unknown 0 late 0 error 0.5 rate 0.4 gap 4.2 recovery - p50 - p90 - p99 - max 0 map[refused:1]",
		},
		{
			name:     "the window's end closes the last gap",
			requests: history(every(0, 1, 2, ok200(.5)), every(2, 1, 4, refused(0))), next: 6,
			window: Window{From: at(0), To: at(6)}, now: 9,
			// 1.5 → 6
			want: "total 6 ok 2 failed 4 unknown 0 late 0 error 0.6667 rate 1 gap 4.5 recovery - p50 - p90 - p99 - max 0.5 map[refused:4]",
		},
		{
			name:     "gaps lie between completions, not between due times",
			requests: []req{{due: 0, took: 0, how: "ok"}, {due: 1, took: 3, how: "ok"}, {due: 2, took: .5, how: "ok"}, {due: 3, took: 2, how: "ok"}}, next: 5,
			window: Window{To: at(5)}, now: 5,
			// 0, 2.5, 4, 5
			want: "total 4 ok 4 failed 0 unknown 0 late 0 error 0 rate 0.8 gap 2.5 recovery - p50 - p90 - p99 - max 3",
		},
		{
			name:     "an open window ends at the oldest sample in flight",
			requests: history(every(0, 1, 3, ok200(.1)), []req{{due: 3, flying: true}}, every(4, 1, 2, refused(0))), next: 6,
			now: 6,
			// The window is [0, 3): the failures after 3 are not yet in it.
			want: "total 3 ok 3 failed 0 unknown 0 late 0 error 0 rate 1 gap 1 recovery - p50 - p90 - p99 - max 0.1",
		},
		{
			name:     "a window with an end has no value while something in it is in flight",
			requests: history(every(0, 1, 3, ok200(.1)), []req{{due: 3, flying: true}}, every(4, 1, 2, refused(0))), next: 6,
			window: Window{From: at(1), To: at(5)}, now: 6,
			want: "pending",
		},
		{
			name:     "what is in flight after a window's end does not matter to it",
			requests: history(every(0, 1, 3, ok200(.1)), []req{{due: 3, flying: true}}, every(4, 1, 2, refused(0))), next: 6,
			window: Window{From: at(1), To: at(3)}, now: 6,
			want: "total 2 ok 2 failed 0 unknown 0 late 0 error 0 rate 1 gap 1 recovery - p50 - p90 - p99 - max 0.1",
		},
		{
			name:     "before the first request has ended there is no sample",
			requests: []req{{due: 0, flying: true}, {due: 1, took: 0, how: "ok"}}, next: 2,
			now:  2,
			want: "total 0",
		},
		{
			name:     "answered after a fault's end is late: neither ok nor failed",
			requests: []req{{due: 0, took: .1, how: "ok"}, {due: 1, took: .1, how: "refused"}, {due: 2, took: 3, how: "ok"}, {due: 2.5, took: 2, how: "http_5xx", code: 503}, {due: 3, took: 0, how: "ok"}}, next: 4,
			window: Window{From: at(1), To: at(3), OfFault: true}, now: 6,
			want: "total 3 ok 0 failed 1 unknown 0 late 2 error 1 rate 1.5 gap 2 recovery - p50 - p90 - p99 - max 3 map[refused:1]",
		},
		{
			name:     "an answer at a fault's very end is late",
			requests: []req{{due: 1, took: 1, how: "ok"}}, next: 9,
			window: Window{From: at(0), To: at(2), OfFault: true}, now: 6,
			want: "total 1 ok 0 failed 0 unknown 0 late 1 error - rate 1 gap 1 recovery - p50 - p90 - p99 - max 1",
		},
		{
			name:     "a request that nobody answered failed, even if it was given up after the fault's end",
			requests: []req{{due: 1, took: 2, how: "timeout"}}, next: 9,
			window: Window{From: at(0), To: at(2), OfFault: true}, now: 6,
			want: "total 1 ok 0 failed 1 unknown 0 late 0 error 1 rate 1 gap 1 recovery - p50 - p90 - p99 - max - map[timeout:1]",
		},
		{
			name:     "while a fault is active nothing is late",
			requests: []req{{due: 1, took: 2, how: "ok", code: 200}}, next: 4,
			window: Window{From: at(1), OfFault: true}, now: 4,
			want: "total 1 ok 1 failed 0 unknown 0 late 0 error 0 rate 0.3333 gap 2 recovery - p50 - p90 - p99 - max 2",
		},
		{
			name:     "only a fault's window has late samples",
			requests: []req{{due: 1, took: 2, how: "ok", code: 200}}, next: 4,
			window: Window{From: at(1), To: at(2)}, now: 4,
			want: "total 1 ok 1 failed 0 unknown 0 late 0 error 0 rate 1 gap 1 recovery - p50 - p90 - p99 - max 2",
		},
		{
			name:     "recovered: ten ok in a row over two seconds",
			requests: history(every(0, .25, 2, refused(0)), every(.5, .25, 9, ok200(.05))), next: 2.75,
			window: Window{From: at(0), To: at(2.75)}, now: 9,
			// The row is due from 0.5 to 2.5: two seconds, but nine samples.
			want: "total 11 ok 9 failed 2 unknown 0 late 0 error 0.1818 rate 4 gap 0.55 recovery - p50 - p90 - p99 - max 0.05 map[refused:2]",
		},
		{
			name:     "recovered: the tenth makes it, counted to the first one's completion",
			requests: history(every(0, .25, 2, refused(0)), every(.5, .25, 10, ok200(.05))), next: 3,
			window: Window{From: at(0), To: at(3)}, now: 9,
			want: "total 12 ok 10 failed 2 unknown 0 late 0 error 0.1667 rate 4 gap 0.55 recovery 0.55 p50 - p90 - p99 - max 0.05 map[refused:2]",
		},
		{
			name:     "recovered: ten in less than two seconds are not enough",
			requests: every(0, .1, 20, ok200(0)), next: 2,
			window: Window{From: at(0), To: at(2)}, now: 9,
			want: "total 20 ok 20 failed 0 unknown 0 late 0 error 0 rate 10 gap 0.1 recovery - p50 0 p90 0 p99 0 max 0",
		},
		{
			name:     "recovered: the row may be longer than ten until it spans two seconds",
			requests: every(0, .1, 21, ok200(.01)), next: 2.1,
			window: Window{From: at(0), To: at(2.1)}, now: 9,
			want: "total 21 ok 21 failed 0 unknown 0 late 0 error 0 rate 10 gap 0.1 recovery 0.01 p50 0.01 p90 0.01 p99 0.01 max 0.01",
		},
		{
			name:     "recovered: a failure after the row takes it back",
			requests: history(every(0, .25, 12, ok200(0)), every(3, .25, 1, refused(0)), every(3.25, .25, 3, ok200(0))), next: 4,
			window: Window{From: at(0), To: at(4)}, now: 9,
			want: "total 16 ok 15 failed 1 unknown 0 late 0 error 0.0625 rate 4 gap 0.5 recovery - p50 - p90 - p99 - max 0 map[refused:1]",
		},
		{
			name:     "recovered: it counts from the row after the last failure",
			requests: history(every(0, .25, 12, ok200(0)), every(3, .25, 1, refused(0)), every(3.25, .25, 12, ok200(0))), next: 6.25,
			window: Window{From: at(0), To: at(6.25)}, now: 9,
			want: "total 25 ok 24 failed 1 unknown 0 late 0 error 0.04 rate 4 gap 0.5 recovery 3.25 p50 0 p90 0 p99 0 max 0 map[refused:1]",
		},
		{
			name: "nearest rank over answered samples only",
			// Latencies 0.01 … 0.20, and one refused at once, which is none.
			requests: history(ramp(20), every(20, 1, 1, refused(0))), next: 21,
			window: Window{From: at(0), To: at(21)}, now: 30,
			// 50 % of 20: the 10th; 90 %: the 18th; 99 %: 19.8, so the 20th. Gap: 19.2 → 21.
			want: "total 21 ok 20 failed 1 unknown 0 late 0 error 0.04762 rate 1 gap 1.8 recovery - p50 0.1 p90 0.18 p99 0.2 max 0.2 map[refused:1]",
		},
		{
			name:     "nineteen answered samples have a maximum but no percentile",
			requests: ramp(19), next: 19,
			window: Window{From: at(0), To: at(19)}, now: 30,
			want: "total 19 ok 19 failed 0 unknown 0 late 0 error 0 rate 1 gap 1.01 recovery 0.01 p50 - p90 - p99 - max 0.19",
		},
		{
			name:     "a rejected answer has a latency",
			requests: every(0, 1, 20, req{took: .3, how: "http_5xx", code: 500}), next: 20,
			window: Window{From: at(0), To: at(20)}, now: 30,
			want: "total 20 ok 0 failed 20 unknown 0 late 0 error 1 rate 1 gap 20 recovery - p50 0.3 p90 0.3 p99 0.3 max 0.3 map[http_5xx:20]",
		},
		{
			name:     "an outage of three seconds at 50 a second is a gap of three seconds",
			requests: history(every(0, .02, 100, ok200(.001)), every(2, .02, 150, refused(.001)), every(5, .02, 150, ok200(.001))), next: 8,
			window: Window{}, now: 8,
			// From 1.981 to 5.001.
			want: "total 400 ok 250 failed 150 unknown 0 late 0 error 0.375 rate 50 gap 3.02 recovery 5.001 p50 0.001 p90 0.001 p99 0.001 max 0.001 map[refused:150]",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := NewStore(nil, 0)
			feed(t, s, tt.next, tt.requests)
			if got := show(s.Stats(tt.window, at(tt.now))); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// ramp is n ok requests, one a second, that take 0.01, 0.02, … seconds.
func ramp(n int) []req {
	list := every(0, 1, n, ok200(0))
	for i := range list {
		list[i].took = .01 * float64(i+1)
	}
	return list
}

func TestCapturedAreDistinctAndDuplicatesAreThoseSeenAgain(t *testing.T) {
	s := NewStore([]string{"v", "w"}, 0)
	var all []req
	for i, v := range []string{"9", "7", "9", "", "8", "7", "6"} {
		all = append(all, req{due: float64(i), how: "ok", captured: v})
	}
	feed(t, s, 7, all)
	for _, tt := range []struct {
		window               Window
		captured, duplicates string
	}{
		{Window{}, "[6 7 8 9]", "[7 9]"},
		{Window{From: at(0), To: at(3)}, "[7 9]", "[9]"},
		{Window{From: at(4), To: at(6)}, "[7 8]", "[]"},
		{Window{From: at(3), To: at(4)}, "[]", "[]"},
	} {
		got := s.Stats(tt.window, at(7))
		if c, d := fmt.Sprint(got.Captured["v"]), fmt.Sprint(got.Duplicates["v"]); c != tt.captured || d != tt.duplicates {
			t.Errorf("%v: captured %s, duplicates %s; want %s, %s", tt.window, c, d, tt.captured, tt.duplicates)
		}
		if len(got.Captured["w"]) != 0 {
			t.Errorf("%v: something was captured as w", tt.window)
		}
	}
}

func TestAWindowEndsWhenSendingDoes(t *testing.T) {
	s := NewStore(nil, 0)
	feed(t, s, 3, every(0, 1, 3, ok200(.1)))
	if err := s.Feed(fmt.Appendf(nil, `{"stopped":%d}`, ns(2.5))); err != nil {
		t.Fatal(err)
	}
	s.Finish(at(50)) // the job's word counts
	want := "total 3 ok 3 failed 0 unknown 0 late 0 error 0 rate 1.2 gap 1 recovery - p50 - p90 - p99 - max 0.1"
	if got := show(s.Stats(Window{}, at(60))); got != want {
		t.Errorf("whole run:\n%s\nwant\n%s", got, want)
	}
	if got := show(s.Stats(Window{From: at(10)}, at(60))); got != "total 0" {
		t.Errorf("a window after the end: %s", got)
	}
}

func TestSamplesThatWereLostWithTheJobArePassedOver(t *testing.T) {
	s := NewStore(nil, 0)
	feed(t, s, 6, history(every(0, 1, 2, ok200(.1)), []req{{due: 2, flying: true}, {due: 3, flying: true}}, every(4, 1, 2, ok200(.1))))
	s.Finish(at(6))
	want := "total 4 ok 4 failed 0 unknown 0 late 0 error 0 rate 0.6667 gap 3 recovery - p50 - p90 - p99 - max 0.1"
	if got := show(s.Stats(Window{}, at(9))); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTimesOfTheSenderAreMovedByItsOffset(t *testing.T) {
	s := NewStore(nil, 100*time.Second)
	feed(t, s, 4, every(0, 1, 4, ok200(.1)))
	if got := show(s.Stats(Window{From: at(101), To: at(103)}, at(200))); !strings.HasPrefix(got, "total 2 ok 2 ") {
		t.Errorf("got %s", got)
	}
}
