package fake

import (
	"encoding/json"

	"github.com/scenario-run/scenario/engine/lookup"
	"github.com/scenario-run/scenario/engine/runtime"
)

// Failing returns what look-ups fail in a node, by its address in the file.
func (r *Runtime) Failing(address string) []lookup.Failure {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failing[runtime.NodeID(r.placeOf(address))]
}

// onLookups carries out the jobs of an agent that are about look-ups: what fails
// goes with the node's start.
func (a *agent) onLookups(job string, spec []byte, line func([]byte) error) error {
	a.r.mu.Lock()
	defer a.r.mu.Unlock()
	if job == lookup.FailJob {
		var all []lookup.Failure
		if err := json.Unmarshal(spec, &all); err != nil {
			return err
		}
		a.r.failing[a.from] = all
		return nil
	}
	var asked lookup.Questions
	if err := json.Unmarshal(spec, &asked); err != nil {
		return err
	}
	all := a.r.failing[a.from]
	seen := lookup.Seen{Led: len(all) > 0, InForce: len(all) > 0}
	for _, n := range asked.Names {
		answer := lookup.AnswerOf(n, all)
		if truly := a.r.nodes[a.from].script.Answers[n]; truly != "" && (asked.Truly || answer == lookup.Resolved) {
			answer = truly
		} else if asked.Truly {
			answer = lookup.Resolved
		}
		seen.Answers = append(seen.Answers, answer)
	}
	text, err := json.Marshal(seen)
	if err != nil {
		return err
	}
	return line(text)
}
