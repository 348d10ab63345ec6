package fake

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/runtime"
)

// InForce returns the rules that are in force at a node, by its address in the
// file, or at the agent of a network, by that's name.
func (r *Runtime) InForce(end string) []link.Rule {
	r.mu.Lock()
	defer r.mu.Unlock()
	var rules []link.Rule
	for _, c := range r.rules[r.placeOf(end)] {
		rules = append(rules, c.Rule)
	}
	return rules
}

// Lapse ends the lease of the agents at an end: their rules are gone, and what
// they have stopped goes on.
func (r *Runtime) Lapse(end string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	place := r.placeOf(end)
	delete(r.rules, place)
	delete(r.slow, place)
	delete(r.failing, runtime.NodeID(place))
	if n := r.nodes[runtime.NodeID(place)]; n != nil {
		n.release()
	}
}

// KillAgent is Lapse, or LapseVolume, where whoever holds the agent hears of its
// end.
func (r *Runtime) KillAgent(at string) {
	r.Lapse(at)
	r.LapseVolume(at)
	r.mu.Lock()
	defer r.mu.Unlock()
	place := r.placeOf(at)
	close(r.lease(place).done)
	delete(r.leases, place)
}

// lease is what ends with an agent that is killed.
type lease struct{ done chan struct{} }

func (l *lease) Done() <-chan struct{}                { return l.done }
func (l *lease) ExitCode(context.Context) (int, bool) { return 137, true }

// lease is what ends with the present agent of a place. The caller holds the
// lock.
func (r *Runtime) lease(place string) *lease {
	if r.leases[place] == nil {
		r.leases[place] = &lease{make(chan struct{})}
	}
	return r.leases[place]
}

// End comes when the agent is killed.
func (a *agent) End() runtime.AgentEnd {
	a.r.mu.Lock()
	defer a.r.mu.Unlock()
	return a.r.lease(a.place())
}

// place is the id of where the agent is.
func (a *agent) place() string {
	switch {
	case a.from != "":
		return string(a.from)
	case a.volume != "":
		return a.volume
	default:
		return a.network
	}
}

func (r *Runtime) placeOf(end string) string {
	for id, n := range r.nodes {
		if n.spec.Address == end {
			return string(id)
		}
	}
	for id, n := range r.networks {
		if n.spec.Name == end {
			return id
		}
	}
	for id, v := range r.volumes {
		if v.name == end {
			return id
		}
	}
	return ""
}

// keepRules carries out the jobs of an agent that are about links: a node's go
// with the start that they were made for.
func (a *agent) keepRules(job string, spec []byte, line func([]byte) error) error {
	place := a.place()
	switch job {
	case link.RulesJob:
		return a.r.setRules(place, spec)
	case link.KnockJob:
		counts, err := a.r.knock(place, spec)
		return answer(line, counts, err)
	}
	shaped, known, err := a.r.shape(place, job, spec)
	if !known {
		return fmt.Errorf("the agent has no job %q", job)
	}
	return answer(line, shaped, err)
}

// answer writes what a job has come to.
func answer(line func([]byte) error, what any, err error) error {
	if err != nil {
		return err
	}
	text, err := json.Marshal(what)
	if err != nil {
		return err
	}
	return line(text)
}

func (r *Runtime) setRules(place string, spec []byte) error {
	var rules []link.Rule
	if err := json.Unmarshal(spec, &rules); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rules[place] = nil
	for _, rule := range rules {
		r.rules[place] = append(r.rules[place], link.Count{Rule: rule})
	}
	return nil
}

func (r *Runtime) knock(place string, spec []byte) ([]link.Count, error) {
	var knocks []link.Knock
	if err := json.Unmarshal(spec, &knocks); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	counts := r.rules[place]
	if n := r.nodes[runtime.NodeID(place)]; n != nil && len(n.spec.Networks) == 0 {
		return slices.Clone(counts), nil // there is no way for packets
	}
	for _, k := range knocks {
		meet(counts, k)
	}
	return slices.Clone(counts), nil
}

// meet sends a packet past rules, up to the first that keeps it.
func meet(counts []link.Count, k link.Knock) {
	for i, c := range counts {
		rule := c.Rule
		if rule.Way != link.Out || rule.Peer.IsValid() && rule.Peer != k.At.Addr() ||
			rule.Port != 0 && (rule.Port != int(k.At.Port()) || rule.Protocol != k.Protocol) {
			continue
		}
		counts[i].Packets++
		if rule.Verdict != link.Lose || rule.Percent == 100 {
			return
		}
	}
}

// forgetLinks is what a start does to what is in force on a node's links: its
// network namespace is a new one. The caller holds the lock.
func (r *Runtime) forgetLinks(id runtime.NodeID) {
	delete(r.failing, id)
	delete(r.rules, string(id))
	delete(r.slow, string(id))
}

// tryOut carries out the job of an agent that is alone.
func (a *agent) tryOut(job string, line func([]byte) error) error {
	if job != link.CanJob {
		return fmt.Errorf("the agent has no job %q", job)
	}
	found := link.Kernel{}
	for _, ability := range link.Abilities() {
		found[ability] = a.r.opts.Lacks[ability]
	}
	return answer(line, found, nil)
}
