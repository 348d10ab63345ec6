package traffic

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// ProgramSpec says how what a program prints becomes samples.
type ProgramSpec struct {
	// Workers is how many operations the program carries out side by side. Each
	// worker carries out one after the other, and puts its number into its
	// lines, unless there is one only.
	Workers int               `json:"workers"`
	Capture map[string]string `json:"capture,omitempty"` // name → path
}

// Transcript makes samples of what a program prints: one JSON object a line for
// each operation that has ended.
//
// A program says what has ended, not what it has begun. But a worker that has
// reported something may have begun the next at once: whatever began before the
// latest end of every worker has been reported. So samples are handed on in the
// order in which they began, once that is certain.
type Transcript struct {
	spec  ProgramSpec
	began time.Time
	now   func() time.Time
	out   func(line []byte) error

	partial []byte
	lines   int
	ends    map[string]int64 // the latest of each worker
	waiting []Sample         // what has ended, until what began before it has
	seq     int64
	failed  error
}

// maxOperation is how long a line may be.
const maxOperation = 1 << 20

// operation is a line of a program. Times are seconds since 1970.
type operation struct {
	OK      *bool           `json:"ok"`
	Start   *float64        `json:"start"`
	End     *float64        `json:"end"`
	Unknown bool            `json:"unknown"`
	Class   string          `json:"class"`
	Error   string          `json:"error"`
	Code    int             `json:"code"`
	Bytes   int64           `json:"bytes"`
	Worker  json.RawMessage `json:"worker"`
}

// NewTranscript reads what a program prints that starts now. out gets the lines
// of samples.
func NewTranscript(spec ProgramSpec, now func() time.Time, out func(line []byte) error) *Transcript {
	return &Transcript{spec: spec, began: now(), now: now, out: out, ends: map[string]int64{}}
}

// Write takes in what the program prints. Its error is the first line that is
// no operation, with the line; after it, nothing is looked at any more.
func (t *Transcript) Write(p []byte) (int, error) {
	rest := p
	for t.failed == nil {
		line, after, whole := bytes.Cut(rest, []byte("\n"))
		if !whole {
			t.partial = append(t.partial, rest...)
			if len(t.partial) > maxOperation {
				t.failed = fmt.Errorf("line %d of the program has more than %d bytes", t.lines+1, maxOperation)
			}
			break
		}
		t.failed = t.line(append(t.partial, line...))
		t.partial, rest = t.partial[:0], after
	}
	return len(p), t.failed
}

// Stop says that the program was told to end, and has. What it had begun and
// not reported is not counted; a line that it was about to print is no line.
func (t *Transcript) Stop() error {
	stopped := t.now().UnixNano()
	if t.failed == nil {
		t.failed = t.release(stopped)
	}
	if t.failed == nil {
		t.failed = t.out(Line{Stopped: stopped}.Append(nil))
	}
	return t.failed
}

func (t *Transcript) line(text []byte) error {
	t.lines++
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return nil
	}
	s, worker, err := t.sample(text)
	if err != nil {
		return fmt.Errorf("line %d of the program is no operation: %w: %s", t.lines, err, excerpt(text))
	}
	if before := t.ends[worker]; s.Start < before-int64(overlap) {
		return fmt.Errorf("line %d of the program is of an operation that began before the last one had ended; how many go on side by side, workers says: %s", t.lines, excerpt(text))
	}
	s.Due = max(s.Start, t.ends[worker])
	s.End = max(s.End, s.Due)
	t.ends[worker] = max(t.ends[worker], s.End)
	if len(t.ends) > t.spec.Workers {
		return fmt.Errorf("line %d of the program is of worker %s, which is one more than the %d that it has: %s", t.lines, worker, t.spec.Workers, excerpt(text))
	}
	t.waiting = append(t.waiting, s)
	return t.release(t.certain())
}

// sample reads a line.
func (t *Transcript) sample(text []byte) (s Sample, worker string, err error) {
	var o operation
	d := json.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(&o); err != nil {
		return s, "", err
	}
	switch {
	case o.OK == nil:
		return s, "", fmt.Errorf(`"ok" is missing`)
	case o.Start == nil:
		return s, "", fmt.Errorf(`"start" is missing`)
	case o.End == nil:
		return s, "", fmt.Errorf(`"end" is missing`)
	case t.spec.Workers > 1 && o.Worker == nil:
		return s, "", fmt.Errorf(`"worker" is missing: there are %d`, t.spec.Workers)
	}
	s = Sample{Code: o.Code, Bytes: o.Bytes, Class: Class(o.Class), Error: o.Error}
	if s.Start, s.End, err = t.times(*o.Start, *o.End); err != nil {
		return s, "", err
	}
	switch {
	case *o.OK:
		s.Outcome, s.Class, s.Error = OK, "", ""
	case o.Unknown:
		s.Outcome = Unknown
	default:
		s.Outcome = Failed
	}
	if s.Outcome != OK {
		s.Class = cmp.Or(s.Class, Unexpected)
		return s, string(o.Worker), nil
	}
	s.Captured, err = capture(t.spec.Capture, &document{text: text})
	return s, string(o.Worker), err
}

// slack is by how much a program's clock may differ from that here.
const slack = time.Second

// overlap is by how much two operations of one worker may seem to: clocks are
// set back now and then.
const overlap = 10 * time.Millisecond

// times reads the times of an operation, in nanoseconds since 1970.
func (t *Transcript) times(start, end float64) (from, to int64, err error) {
	lowest, highest := seconds(t.began.Add(-slack)), seconds(t.now().Add(slack))
	for _, at := range []float64{start, end} {
		if at < lowest || at > highest {
			return 0, 0, fmt.Errorf("%s is not between the program's start (%.3f) and now: times are seconds since 1970", number(at), lowest+slack.Seconds())
		}
	}
	if end < start {
		return 0, 0, fmt.Errorf("it ends %.6f s before it starts", start-end)
	}
	return nanoseconds(start), nanoseconds(end), nil
}

func number(f float64) string {
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%f", f), "0"), ".")
}

func seconds(t time.Time) float64 { return float64(t.UnixNano()) / 1e9 }

func nanoseconds(seconds float64) int64 {
	whole, part := math.Modf(seconds)
	return int64(whole)*1e9 + int64(math.Round(part*1e9))
}

// certain is the time before which everything that began has been reported.
func (t *Transcript) certain() int64 {
	if len(t.ends) < t.spec.Workers {
		return 0 // one that has reported nothing may have begun with the program
	}
	least := int64(math.MaxInt64)
	for _, end := range t.ends {
		least = min(least, end)
	}
	return least
}

// release hands on what began before a time.
func (t *Transcript) release(before int64) error {
	slices.SortStableFunc(t.waiting, func(a, b Sample) int { return cmp.Compare(a.Due, b.Due) })
	n := 0
	for ; n < len(t.waiting) && t.waiting[n].Due <= before; n++ {
		s := t.waiting[n]
		s.Seq = t.seq
		t.seq++
		settled := before
		if n+1 < len(t.waiting) {
			settled = min(settled, t.waiting[n+1].Due)
		}
		if err := t.out(Line{Sample: &s, Settled: settled}.Append(nil)); err != nil {
			return err
		}
	}
	t.waiting = slices.Delete(t.waiting, 0, n)
	return nil
}
