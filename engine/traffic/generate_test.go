package traffic

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestASenderThatIsDoneTakesTheNextRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// Each takes 150 ms of the 100 ms between two: never more than two at a time.
		got := generateFor(t, 10*time.Second, 10, 2, answersAfter(150*time.Millisecond)).samples()
		for _, s := range got {
			if s.Outcome != OK || s.Start != s.Due {
				t.Fatalf("request %d: %+v, want it sent when due", s.Seq, s)
			}
		}
	})
}

// lines collects what a job writes.
type lines struct {
	t   *testing.T
	all []Line
}

func (l *lines) add(text []byte) error {
	var line Line
	if err := json.Unmarshal(text, &line); err != nil {
		l.t.Errorf("line %s: %v", text, err)
	}
	l.all = append(l.all, line)
	return nil
}

func (l *lines) samples() []*Sample {
	var list []*Sample
	for _, line := range l.all {
		if line.Sample != nil {
			list = append(list, line.Sample)
		}
	}
	return list
}

// generateFor runs the loop for a time and returns what it wrote.
func generateFor(t *testing.T, d time.Duration, rate float64, maxInFlight int, send func(*Sample)) *lines {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	got := &lines{t: t}
	if err := generate(ctx, rate, maxInFlight, send, got.add); err != nil {
		t.Fatal(err)
	}
	return got
}

func answersAfter(d time.Duration) func(*Sample) {
	return func(s *Sample) {
		time.Sleep(d) // in a synctest bubble
		s.Outcome = OK
	}
}

func TestRequestsAreSentWhenDueWhateverBecameOfTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now().UnixNano()
		got := generateFor(t, 950*time.Millisecond, 10, 100, answersAfter(5*time.Second)).samples()
		if len(got) != 10 {
			t.Fatalf("%d requests in 0.95 s at 10/s, want 10", len(got))
		}
		for i, s := range got {
			due := begin + int64(i)*int64(100*time.Millisecond)
			if s.Seq != int64(i) || s.Due != due || s.Start != due || s.End != due+int64(5*time.Second) {
				t.Errorf("request %d: %+v, want it due and sent at %d", i, s, due)
			}
		}
	})
}

func TestBeyondWhatMayBeInFlightRequestsAreSaturated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := generateFor(t, 950*time.Millisecond, 10, 3, answersAfter(time.Hour)).samples()
		if len(got) != 10 {
			t.Fatalf("%d samples, want 10", len(got))
		}
		for _, s := range got {
			want := Class("")
			if s.Seq >= 3 {
				want = Saturated
			}
			if s.Class != want {
				t.Errorf("request %d: class %q, want %q", s.Seq, s.Class, want)
			}
			if want == Saturated && (s.Outcome != Failed || s.End != s.Start) {
				t.Errorf("request %d: %+v, want it failed at once", s.Seq, s)
			}
		}
	})
}

func TestALineSaysFromWhenOnRequestsAreInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now().UnixNano()
		// Request 1 takes 350 ms, the others none.
		got := generateFor(t, 550*time.Millisecond, 10, 100, func(s *Sample) {
			if s.Seq == 1 {
				time.Sleep(350 * time.Millisecond)
			}
			s.Outcome = OK
		})
		want := []struct{ seq, settled int64 }{{0, 1}, {2, 1}, {3, 1}, {4, 1}, {1, 5}, {5, 6}}
		if len(got.all) != len(want)+1 {
			t.Fatalf("%d lines, want %d", len(got.all), len(want)+1)
		}
		for i, w := range want {
			l := got.all[i]
			if l.Seq != w.seq || l.Settled != begin+w.settled*int64(100*time.Millisecond) {
				t.Errorf("line %d: request %d, settled %d; want %+v", i, l.Seq, l.Settled-begin, w)
			}
		}
		if last := got.all[len(want)]; last.Sample != nil || last.Stopped != begin+int64(550*time.Millisecond) {
			t.Errorf("last line %+v, want that it stopped at 550 ms", last)
		}
	})
}

func TestAtTheEndRequestsInFlightAreWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		got := generateFor(t, 10*time.Millisecond, 1, 1, answersAfter(2*time.Second))
		if took := time.Since(begin); took != 2*time.Second {
			t.Errorf("ended after %s, want 2s", took)
		}
		if n := len(got.samples()); n != 1 {
			t.Errorf("%d samples, want 1", n)
		}
	})
}

func TestASlowReaderDoesNotSlowDownTheLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 950*time.Millisecond)
		defer cancel()
		got := &lines{t: t}
		err := generate(ctx, 10, 1, answersAfter(0), func(text []byte) error {
			time.Sleep(time.Minute)
			return got.add(text)
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range got.samples() {
			if s.Outcome != OK || s.Start != s.Due {
				t.Errorf("request %d: %+v, want it sent when due", i, s)
			}
		}
	})
}

func TestAReaderThatFailsEndsTheJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full := errors.New("disk full")
		err := generate(t.Context(), 10, 10, answersAfter(0), func([]byte) error { return full })
		if !errors.Is(err, full) {
			t.Errorf("got %v", err)
		}
	})
}
