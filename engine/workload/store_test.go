package workload

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/engine/traffic"
)

func TestABaselineIsOkSamplesInARowInTheOrderOfDue(t *testing.T) {
	for _, tt := range []struct {
		name     string
		requests []req
		want     string // of the error; empty: the baseline stands
	}{
		{"enough", every(0, 1, 5, ok200(.1)), ""},
		{"enough at first, whatever came later", history(every(0, 1, 5, ok200(.1)), every(5, 1, 1, refused(0))), ""},
		{"enough in the end", history(every(0, 1, 4, ok200(.1)), every(4, 1, 1, refused(0)), every(5, 1, 5, ok200(0))), ""},
		{"too few", every(0, 1, 4, ok200(.1)), "4 of 5 ok samples in a row (nothing has failed)"},
		{"none", nil, "0 of 5 ok samples in a row (nothing has been answered yet)"},
		{"interrupted", history(every(0, 1, 4, ok200(.1)), every(4, 1, 1, refused(0)), every(5, 1, 4, ok200(0))), "4 of 5 ok samples in a row (last failure: refused: no)"},
		{"one in the middle is in flight", history(every(0, 1, 4, ok200(.1)), []req{{due: 4, flying: true}}, every(5, 1, 4, ok200(0))), "4 of 5 ok samples in a row (nothing has failed)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := NewStore(nil, 0)
			feed(t, s, 20, tt.requests)
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			err := s.Baseline(ctx, 5)
			if got := fmt.Sprint(err); tt.want == "" && err != nil || tt.want != "" && got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestBaselineWaitsForSamples(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStore(nil, 0)
		got := make(chan error)
		go func() { got <- s.Baseline(t.Context(), 2) }()
		synctest.Wait()
		feed(t, s, 1, every(0, 1, 1, ok200(0)))
		synctest.Wait()
		select {
		case err := <-got:
			t.Fatalf("one sample was enough: %v", err)
		default:
		}
		feed(t, s, 2, every(0, 1, 2, ok200(0)))
		if err := <-got; err != nil {
			t.Error(err)
		}
	})
}

func TestBaselineFailsWhenTheWorkloadEnds(t *testing.T) {
	s := NewStore(nil, 0)
	s.Finish(at(1))
	if err := s.Baseline(t.Context(), 2); err == nil || !strings.Contains(err.Error(), "has ended") {
		t.Errorf("got %v", err)
	}
}

func TestSettleWaitsForWhatIsInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStore(nil, 0)
		feed(t, s, 3, []req{{due: 0, how: "ok"}, {due: 1, flying: true}, {due: 2, how: "ok"}})
		if err := s.Settle(t.Context(), at(1)); err != nil {
			t.Errorf("all due before 1 has ended: %v", err)
		}
		got := make(chan error)
		go func() { got <- s.Settle(t.Context(), at(1.5)) }()
		synctest.Wait()
		select {
		case err := <-got:
			t.Fatalf("did not wait: %v", err)
		default:
		}
		feed(t, s, 3, []req{{due: 0, how: "ok"}, {due: 1, how: "timeout", took: 5}, {due: 2, how: "ok"}})
		if err := <-got; err != nil {
			t.Error(err)
		}
	})
}

func TestSettleIsOverWhenTheJobIs(t *testing.T) {
	s := NewStore(nil, 0)
	feed(t, s, 3, []req{{due: 0, how: "ok"}, {due: 1, flying: true}})
	s.Finish(at(2))
	if err := s.Settle(t.Context(), at(100)); err != nil {
		t.Error(err)
	}
}

func TestTheFirstFailureIsTheOneThatEndedFirst(t *testing.T) {
	s := NewStore(nil, 0)
	if s.FirstFailure() != nil {
		t.Error("a failure before any sample")
	}
	feed(t, s, 3, []req{{due: 0, took: 5, how: "timeout"}, {due: 1, took: .5, how: "refused"}, {due: 2, how: "ok"}})
	if f := s.FirstFailure(); f == nil || !f.At.Equal(at(1.5)) || f.Text != "refused: no" {
		t.Errorf("got %+v", f)
	}
}

func TestALineThatIsNoneIsAnError(t *testing.T) {
	s := NewStore(nil, 0)
	for _, line := range []string{"", "{", `{"seq":-1}`, `{"seq":99999999999}`} {
		if s.Feed([]byte(line)) == nil {
			t.Errorf("%q was taken", line)
		}
	}
}

func TestAStatisticWithoutAValueIsUnknown(t *testing.T) {
	captures := []string{"pid"}
	empty := Stats{}.Value(captures)
	for name := range Type(captures).AttributeTypes() {
		v := empty.GetAttr(name)
		if known := v.IsWhollyKnown(); known != (name == "total") {
			t.Errorf("%s of nothing: known is %t", name, known)
		}
	}
	if total := (Stats{Pending: true}).Value(captures).GetAttr("total"); total.IsKnown() {
		t.Errorf("total while the window is pending: %#v", total)
	}
	s := NewStore(captures, 0)
	feed(t, s, 3, every(0, 1, 3, req{how: "refused"}))
	v := s.Stats(Window{}, at(3)).Value(captures)
	for name, want := range map[string]cty.Value{
		"total":            cty.NumberIntVal(3),
		"ok":               cty.Zero,
		"failed":           cty.NumberIntVal(3),
		"error_rate":       cty.NumberIntVal(1),
		"max_gap_seconds":  cty.NumberIntVal(3),
		"recovery_seconds": cty.UnknownVal(cty.Number),
		"p99_seconds":      cty.UnknownVal(cty.Number),
		"max_seconds":      cty.UnknownVal(cty.Number),
		"classes":          cty.MapVal(map[string]cty.Value{"refused": cty.NumberIntVal(3)}),
		"captured":         cty.ObjectVal(map[string]cty.Value{"pid": cty.ListValEmpty(cty.String)}),
	} {
		if got := v.GetAttr(name); !got.RawEquals(want) {
			t.Errorf("%s: %#v, want %#v", name, got, want)
		}
	}
}

func TestTheValueIsOfTheDeclaredType(t *testing.T) {
	for _, captures := range [][]string{nil, {"v"}, {"a", "v"}} {
		s := NewStore(captures, 0)
		feed(t, s, 3, []req{{due: 0, how: "ok", captured: "x"}, {due: 1, how: "ok", captured: "x"}})
		for _, v := range []cty.Value{Stats{}.Value(captures), s.Stats(Window{}, at(3)).Value(captures)} {
			if !v.Type().Equals(Type(captures)) {
				t.Errorf("captures %v: %#v", captures, v.Type())
			}
		}
	}
}

// A workload of some minutes is asked every 200 ms, so asking must cost little
// of that.
func BenchmarkStats(b *testing.B) {
	for _, n := range []int{6_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := NewStore([]string{"v"}, 0)
			for i := range n {
				due := zero.UnixNano() + int64(i)*int64(time.Millisecond)
				s.add(&traffic.Sample{
					Seq: int64(i), Due: due, End: due + int64(i%977)*1000, Outcome: traffic.OK, Code: 200,
					Captured: map[string]string{"v": fmt.Sprint(i % 3)},
				}, 0)
				s.settled = due
			}
			now := zero.Add(time.Duration(n) * time.Millisecond)
			b.ResetTimer()
			for range b.N {
				s.Stats(Window{}, now)
			}
		})
	}
}
