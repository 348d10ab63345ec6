package workload

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/scenario-run/scenario/engine/traffic"
)

// reference computes statistics by going through the definitions one by one,
// over requests in the order in which they were due.
func reference(all []req, next float64, w Window, now float64) Stats {
	settled := next
	for _, r := range all {
		if r.flying {
			settled = r.due
			break
		}
	}
	from, to := all[0].due, min(now, settled)
	sec := func(t time.Time) float64 { return t.Sub(zero).Seconds() }
	if !w.To.IsZero() && sec(w.To) > settled+1e-9 {
		return Stats{Pending: true}
	}
	if !w.From.IsZero() {
		from = max(from, sec(w.From))
	}
	if !w.To.IsZero() {
		to = min(to, sec(w.To))
	}
	to = max(to, from)

	var s Stats
	s.Classes = map[traffic.Class]int{}
	var points, latencies []float64
	start := math.Inf(-1)
	recovered := func(i int) bool { // a row that begins with all[i] and never fails
		n, last := 0, all[i].due
		for _, r := range all[i:] {
			switch {
			case r.due >= to:
			case isLate(r, w):
			case r.how != "ok":
				return false
			default:
				n, last = n+1, r.due
			}
		}
		return n >= 10 && last-all[i].due >= 2-1e-9
	}
	for i, r := range all {
		if end := r.due + r.took; r.how == "ok" && !r.flying && r.due < to {
			if end < from {
				start = max(start, end)
			} else if !isLate(r, w) {
				points = append(points, end)
			}
		}
		if r.due < from || r.due >= to {
			continue
		}
		s.Total++
		if r.how == "ok" || r.code != 0 {
			latencies = append(latencies, r.took)
		}
		switch {
		case isLate(r, w):
			s.Late++
		case r.how == "ok":
			s.OK++
			if s.Recovery == nil && recovered(i) {
				s.Recovery = new(duration(r.due + r.took - from))
			}
		default:
			s.Failed++
			s.Classes[traffic.Class(r.how)]++
		}
	}
	if s.Total == 0 {
		return Stats{}
	}
	if math.IsInf(start, -1) {
		start = from
	}
	if s.OK+s.Failed > 0 {
		s.ErrorRate = new(float64(s.Failed) / float64(s.OK+s.Failed))
	}
	if to > from {
		s.Rate = new(float64(s.Total) / (to - from))
	}
	gap := to - from
	if s.OK > 0 {
		gap = 0
		points = append(points, to)
		for _, p := range points { // how long before p was the point before it?
			if p > to {
				continue
			}
			before := start
			for _, q := range points {
				if q < p {
					before = max(before, q)
				}
			}
			gap = max(gap, p-before)
		}
	}
	s.MaxGap = new(duration(gap))
	slices.Sort(latencies)
	if n := len(latencies); n > 0 {
		s.Max = new(duration(latencies[n-1]))
	}
	if n := len(latencies); n >= 20 {
		rank := func(p float64) *time.Duration { return new(duration(latencies[int(math.Ceil(p*float64(n)/100))-1])) }
		s.P50, s.P90, s.P99 = rank(50), rank(90), rank(99)
	}
	return s
}

func isLate(r req, w Window) bool {
	return w.OfFault && !w.To.IsZero() && (r.how == "ok" || r.code != 0) && r.due+r.took >= w.To.Sub(zero).Seconds()-1e-9
}

func duration(seconds float64) time.Duration {
	return time.Duration(math.Round(seconds * float64(time.Second)))
}

func TestStatisticsAgreeWithTheDefinitionsOnRandomHistories(t *testing.T) {
	outer := t
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 80).Draw(t, "n")
		step := rapid.SampledFrom([]float64{.05, .25, 1}).Draw(t, "step")
		mood := rapid.IntRange(0, 9).Draw(t, "mood") // how often it fails
		// Quarters of steps, so that edges and completions often coincide.
		tick := func(most int, label string) float64 {
			return float64(rapid.IntRange(0, most).Draw(t, label)) * step / 4
		}
		all := make([]req, n)
		for i := range all {
			all[i] = req{due: float64(i) * step, took: tick(12, "took"), how: "ok", code: 200}
			switch x := rapid.IntRange(0, 99).Draw(t, "how"); {
			case x < mood:
				all[i].how, all[i].code = "refused", 0
			case x < 2*mood:
				all[i].how, all[i].code = "http_5xx", 500
			case x == 99:
				all[i].flying = true
			}
		}
		next := float64(n) * step
		var w Window
		if rapid.Bool().Draw(t, "from") {
			w.From = at(tick(4*n, "from"))
		}
		if rapid.Bool().Draw(t, "to") {
			w.To = at(tick(4*n+8, "to"))
			w.OfFault = rapid.Bool().Draw(t, "fault")
		}
		now := tick(4*n+40, "now")

		s := NewStore(nil, 0)
		feed(outer, s, next, all)
		got, want := show(s.Stats(w, at(now))), show(reference(all, next, w, now))
		if got != want {
			t.Fatalf("window %v … %v, now %v\ngot\n%s\nwant\n%s", w.From, w.To, now, got, want)
		}
	})
}
