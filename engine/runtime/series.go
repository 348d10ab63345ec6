package runtime

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
)

// SeriesJob is a job that every agent has: others of its jobs, one after the
// other, so that what belongs together takes one message there and one back. Its
// spec are Calls; see Series.
const SeriesJob = "series"

// Call is one job of a series.
type Call struct {
	Job  string          `json:"job"`
	Spec json.RawMessage `json:"spec"`
}

// Series carries out the job by run, which runs one of the others. It writes one
// line, a list with what each of them has written, or null: a line of JSON at
// most. The first that fails ends it.
func Series(ctx context.Context, spec []byte, out func([]byte) error, run func(ctx context.Context, job string, spec []byte, out func([]byte) error) error) error {
	var calls []Call
	if err := json.Unmarshal(spec, &calls); err != nil {
		return fmt.Errorf("read the calls of a series: %w", err)
	}
	lines := make([]json.RawMessage, len(calls))
	for i, c := range calls {
		err := run(ctx, c.Job, c.Spec, func(line []byte) error {
			if lines[i] != nil {
				return fmt.Errorf("bug: in a series the job %s writes one line, not more", c.Job)
			}
			lines[i] = bytes.Clone(line)
			return nil
		})
		if err != nil {
			return fmt.Errorf("%s: %w", c.Job, err)
		}
	}
	text, err := json.Marshal(lines)
	if err != nil {
		return fmt.Errorf("write what a series has come to: %w", err)
	}
	return out(text)
}
