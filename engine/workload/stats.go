package workload

import (
	"slices"
	"sort"
	"time"

	"github.com/scenario-run/scenario/engine/traffic"
)

// Window is a span of time. Without From it begins with the workload; without
// To it goes on. What lies before the first request or after the end of
// sending is no part of it.
type Window struct {
	From, To time.Time
	// OfFault says that it is the time in which a fault was active, so that
	// answers after its end are late.
	OfFault bool
}

// Stats are the statistics of a window; the package comment says what each
// means. A pointer that is nil has no value, and if Total is 0, none but Total
// has.
type Stats struct {
	// Pending says that the window has an end and something due before it is
	// in flight: nothing has a value yet, Total included.
	Pending bool

	Total, OK, Failed, Unknown, Late int
	ErrorRate, Rate                  *float64
	MaxGap, Recovery                 *time.Duration
	P50, P90, P99, Max               *time.Duration
	Classes                          map[traffic.Class]int
	Captured, Duplicates             map[string][]string // by name, sorted
}

// The numbers of the definitions in the package comment.
const (
	minAnswered   = 20 // for percentiles
	recoveredRow  = 10
	recoveredSpan = int64(2 * time.Second)
)

// Stats computes the statistics of a window as they are at now.
func (s *Store) Stats(w Window, now time.Time) Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pending(w) {
		return Stats{Pending: true}
	}
	from, to := s.bounds(w, now)
	lo, hi := s.dueFrom(from), s.dueFrom(to)
	c := counter{
		store:     s,
		from:      from,
		to:        to,
		classes:   make([]int, len(s.classes)),
		lateFrom:  never,
		latencies: make([]int64, 0, max(0, hi-lo)),
	}
	if w.OfFault && !w.To.IsZero() {
		c.lateFrom = w.To.UnixNano()
	}
	for i := lo; i < hi; i++ {
		c.count(s.samples[i])
	}
	stats := c.stats(lo)
	stats.Captured, stats.Duplicates = s.captured(lo, hi)
	return stats
}

const never = int64(1<<63 - 1)

// pending says that a window with an end is not settled. Its numbers would look
// final and would not be: no failure may still become one.
func (s *Store) pending(w Window) bool {
	return !w.To.IsZero() && !s.finished() && s.settled < w.To.UnixNano()
}

// bounds are the window's edges as far as they are certain.
func (s *Store) bounds(w Window, now time.Time) (from, to int64) {
	from, to = s.begin, now.UnixNano()
	if !w.From.IsZero() {
		from = max(from, w.From.UnixNano())
	}
	if !w.To.IsZero() {
		to = min(to, w.To.UnixNano())
	}
	to = min(to, s.settled)
	if s.stopped != 0 {
		to = min(to, s.stopped)
	}
	return from, max(from, to)
}

// dueFrom is the index of the first ended sample due at t or later.
func (s *Store) dueFrom(t int64) int {
	return sort.Search(s.streak.next, func(i int) bool { return s.samples[i].due >= t })
}

// counter goes over the samples of a window in the order in which they were
// due.
type counter struct {
	store    *Store
	from, to int64
	lateFrom int64

	total, ok, failed, unknown, late int
	classes                          []int
	okEnds                           []int64 // completions of ok samples
	latencies                        []int64 // of answered ones
	row                              row
}

// row is the ok samples since the last failed one.
type row struct {
	length              int
	firstEnd            int64
	firstDue, recentDue int64
}

func (c *counter) count(x sample) {
	if x.outcome == inFlight { // lost
		return
	}
	c.total++
	if x.answered {
		c.latencies = append(c.latencies, x.end-x.due)
	}
	switch {
	case x.answered && x.end >= c.lateFrom:
		c.late++
	case x.outcome == ok:
		c.ok++
		c.okEnds = append(c.okEnds, x.end)
		if c.row.length == 0 {
			c.row.firstEnd, c.row.firstDue = x.end, x.due
		}
		c.row.length++
		c.row.recentDue = x.due
	default:
		c.failed++
		c.classes[x.class]++
		if x.outcome == unknown {
			c.unknown++
		}
		c.row = row{}
	}
}

func (c *counter) stats(lo int) Stats {
	s := Stats{
		Total: c.total, OK: c.ok, Failed: c.failed, Unknown: c.unknown, Late: c.late,
		Classes: map[traffic.Class]int{},
	}
	if c.total == 0 {
		return s
	}
	for i, n := range c.classes {
		if n > 0 {
			s.Classes[c.store.classes[i]] = n
		}
	}
	if judged := c.ok + c.failed; judged > 0 {
		s.ErrorRate = new(float64(c.failed) / float64(judged))
	}
	if length := c.to - c.from; length > 0 {
		s.Rate = new(float64(c.total) / time.Duration(length).Seconds())
	}
	s.MaxGap = new(c.maxGap(lo))
	if c.row.length >= recoveredRow && c.row.recentDue-c.row.firstDue >= recoveredSpan {
		s.Recovery = new(time.Duration(c.row.firstEnd - c.from))
	}
	slices.Sort(c.latencies)
	s.P50, s.P90, s.P99 = percentile(c.latencies, 50), percentile(c.latencies, 90), percentile(c.latencies, 99)
	if n := len(c.latencies); n > 0 {
		s.Max = new(time.Duration(c.latencies[n-1]))
	}
	return s
}

// maxGap is the longest time without a success in a window whose first sample
// has index lo.
func (c *counter) maxGap(lo int) time.Duration {
	if c.ok == 0 {
		return time.Duration(c.to - c.from)
	}
	previous := c.okBefore(lo)
	slices.Sort(c.okEnds)
	longest := int64(0)
	for _, end := range c.okEnds {
		if end > c.to {
			break
		}
		longest = max(longest, end-previous)
		previous = end
	}
	return time.Duration(max(longest, c.to-previous))
}

// okBefore is the last completion of an ok sample before the window, or the
// window's start if there is none. Completions within it of samples that were
// due before it are added to the others. It looks back no further than it must:
// no sample took longer than the slowest.
func (c *counter) okBefore(lo int) int64 {
	last, found := c.from, false
	for i := lo - 1; i >= 0; i-- {
		x := c.store.samples[i]
		if found && x.due+c.store.slowest < last {
			break
		}
		switch {
		case x.outcome != ok:
		case x.end >= c.from:
			c.okEnds = append(c.okEnds, x.end)
		case !found || x.end > last:
			last, found = x.end, true
		}
	}
	return last
}

// percentile is the p-th percentile of sorted latencies by nearest rank.
func percentile(sorted []int64, p int) *time.Duration {
	n := len(sorted)
	if n < minAnswered {
		return nil
	}
	rank := (p*n + 99) / 100 // rounded up
	return new(time.Duration(sorted[rank-1]))
}

// captured collects what the answered samples of a range captured.
func (s *Store) captured(lo, hi int) (captured, duplicates map[string][]string) {
	captured, duplicates = map[string][]string{}, map[string][]string{}
	for i, name := range s.names {
		col := s.columns[i]
		counts := make([]int, len(col.strings)+1)
		for n := lo; n < min(hi, len(col.bySeq)); n++ {
			counts[col.bySeq[n]]++
		}
		for id, text := range col.strings {
			if counts[id+1] > 0 {
				captured[name] = append(captured[name], text)
			}
			if counts[id+1] > 1 {
				duplicates[name] = append(duplicates[name], text)
			}
		}
		slices.Sort(captured[name])
		slices.Sort(duplicates[name])
	}
	return captured, duplicates
}
