package traffic

import (
	"fmt"
	"time"
)

// Outcome is how a request ended.
type Outcome string

// The outcomes. Unknown is a failed request that may have had an effect: it
// was not a safe one (GET, HEAD, OPTIONS), at least a part of it was sent, and
// either no whole answer came, or one of 500, 502 or 504, or a good one that was
// not what was expected.
const (
	OK      Outcome = "ok"
	Failed  Outcome = "failed"
	Unknown Outcome = "unknown"
)

// Sample is one request of a workload. Times are in nanoseconds since 1970 by
// the sender's clock at the first request, plus what its monotonic clock says
// has passed since.
type Sample struct {
	Seq      int64             `json:"seq"` // from 0, in the order in which they were due
	Due      int64             `json:"due"`
	Start    int64             `json:"start"` // when it was sent
	End      int64             `json:"end"`   // when it was answered or given up
	Outcome  Outcome           `json:"outcome"`
	Class    Class             `json:"class,omitempty"` // how it failed
	Code     int               `json:"code,omitempty"`  // HTTP status; 0 without an answer
	Bytes    int64             `json:"bytes,omitempty"` // of the answer's body
	Captured map[string]string `json:"captured,omitempty"`
	Error    string            `json:"error,omitempty"`
}

// LateAfter is how long after it was due a request counts as sent late, which
// is the sender's doing, or its machine's: a tenth of the 0.1 s to which a
// workload says how long an outage was.
const LateAfter = 10 * time.Millisecond

// SentLate says by how much the request was sent late; 0 if it was not.
func (s Sample) SentLate() time.Duration {
	if late := time.Duration(s.Start - s.Due); late > LateAfter {
		return late
	}
	return 0
}

// heldUp is how late the end of a time limit may be noticed by one who is not held
// up: more than a machine takes that has something to do.
const heldUp = 100 * time.Millisecond

// noAnswer says that a request was given up after a limit, and if that was noticed
// late: whoever is held up so long may have been held up before, too. It failed
// all the same, since an answer that was there by then may have come late as well.
func noAnswer(limit, took time.Duration) string {
	text := fmt.Sprintf("no answer within %s", limit)
	if late := took - limit; late > heldUp {
		text += fmt.Sprintf(", which was noticed %s later: the machine that asks is too busy", late.Round(time.Millisecond))
	}
	return text
}

// Answered says that a whole answer came, whatever it was.
func (s Sample) Answered() bool { return s.Outcome == OK || s.Code != 0 }
