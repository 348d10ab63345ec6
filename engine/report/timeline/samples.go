package timeline

import (
	"bufio"
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/scenario-run/scenario/engine/event"
)

// readSamples adds, for each fault, the first request of each workload that
// was due after it and failed. The events know the first of a whole workload
// only. A file that can't be read adds nothing: its workload's own event has
// something to say still.
func (t *Timeline) readSamples(v *variant) {
	if t.opts.Logs == nil || len(v.faults) == 0 {
		return
	}
	for _, w := range v.traffic {
		f, err := t.opts.Logs.Open(w.Samples)
		if err != nil {
			continue
		}
		t.firstFailures(v, w, bufio.NewReader(f))
		f.Close()
	}
}

func (t *Timeline) firstFailures(v *variant, w event.WorkloadStarted, in *bufio.Reader) {
	name := stepName(v.step(w.Workload))
	found := make([]bool, len(v.faults))
	for left := len(v.faults); left > 0; {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		if bytes.Contains(line, []byte(`"outcome":"ok"`)) || !bytes.Contains(line, []byte(`"outcome":`)) {
			continue
		}
		var s struct {
			Due          int64
			Class, Error string
		}
		if json.Unmarshal(line, &s) != nil {
			continue
		}
		at := time.Unix(0, s.Due).Sub(t.began)
		first := false
		for i, f := range v.faults {
			if !found[i] && at >= f.injected {
				found[i], first = true, true
				left--
			}
		}
		if first {
			v.symptom(at, "", strings.TrimSuffix(name+": "+s.Class+": "+s.Error, ": "))
		}
	}
}
