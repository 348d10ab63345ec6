package fault

import (
	"fmt"
	"slices"
	"time"

	"github.com/scenario-run/scenario/dsl/schema"
)

// State is how far a fault is in its life.
type State string

// The states, in order. Invalid is where any error leads; from there a fault
// can only be healed.
const (
	Planned   State = "planned"
	Injecting State = "injecting"
	Active    State = "active"
	Healing   State = "healing"
	Healed    State = "healed"
	Invalid   State = "invalid"
)

// next are the states that may follow a state.
var next = map[State][]State{
	Planned:   {Injecting},
	Injecting: {Active, Healing, Invalid},
	Active:    {Healing, Invalid},
	Healing:   {Healed, Invalid},
	Invalid:   {Healing},
}

// Life is one fault from its injection to its end.
type Life struct {
	Step  string // ID of the step
	Type  schema.Type
	Nodes []string // addresses of the nodes that it acts on
	Hits  []string // what was hit, one line each
	// MayExit says that its nodes may answer to it by an exit.
	MayExit bool
	State   State
	// Injected (t0) is when injection was called, Active (t1) when its effect
	// was observed, Ended (t2) when its end was called, Healed (t3) when that
	// was verified. Zero until they come.
	Injected, Active, Ended, Healed time.Time
}

// To moves the fault to its next state and keeps the time.
func (l *Life) To(s State, at time.Time) error {
	if !slices.Contains(next[l.State], s) {
		return fmt.Errorf("fault %s can't become %s: it is %s", l.Step, s, l.State)
	}
	l.State = s
	switch s {
	case Injecting:
		l.Injected = at
	case Active:
		l.Active = at
	case Healing:
		// A heal that is tried again ends what the first one ended.
		if l.Ended.IsZero() {
			l.Ended = at
		}
	case Healed:
		l.Healed = at
	case Invalid:
		// Of one that lapsed nothing is known from then on.
		if !l.Active.IsZero() && l.Ended.IsZero() {
			l.Ended = at
		}
	}
	return nil
}

// InForce says that the fault may have an effect now.
func (l *Life) InForce() bool { return l.State != Planned && l.State != Healed }

// On says that the fault acts on a node.
func (l *Life) On(node string) bool { return slices.Contains(l.Nodes, node) }

// Takes says that the fault takes a resource of its nodes.
func (l *Life) Takes(r schema.Resource) bool { return slices.Contains(l.Type.Takes, r) }

// EndsWithStart says that the next start of its node ends the fault: what was
// killed, stopped or done to processes. Links and limits outlive a start.
func (l *Life) EndsWithStart() bool {
	if len(l.Type.Takes) == 0 {
		return true
	}
	return l.Takes(schema.Down) || l.Takes(schema.Paused)
}

// Explains says that the exit of a node is no surprise because of the fault.
func (l *Life) Explains(node string) bool {
	return l.InForce() && l.On(node) && (l.MayExit || l.Type.MayEndNodes())
}

// Conflict says why a fault of type t can't be injected into nodes while
// others are planned or in force; empty if it can. Links combine, all else is
// taken once.
func Conflict(t schema.Type, nodes []string, others []*Life) string {
	for _, l := range others {
		// One that is planned is about to be injected.
		if l.State == Healed {
			continue
		}
		i := slices.IndexFunc(nodes, l.On)
		if i < 0 {
			continue
		}
		for _, r := range t.Takes {
			switch {
			case !r.Combines() && l.Takes(r):
				return fmt.Sprintf("%s is already hit by %s, which takes its %s as well", nodes[i], l.Step, r)
			case l.excludes(r):
				return fmt.Sprintf("%s is already hit by %s: what is %s can't be %s", nodes[i], l.Step, other(r), r)
			}
		}
	}
	return ""
}

// excludes says that what a fault does to its nodes, or is about to, can't be
// where they are down, or paused: a frozen process doesn't exit when it is
// killed, and one that has exited can't be frozen. Where its end has been
// called for, or it acts on what is inside, how the nodes stand shows.
func (l *Life) excludes(r schema.Resource) bool {
	has := other(r)
	if has == "" || !l.Takes(has) {
		return false
	}
	return l.State == Planned || l.State == Injecting || l.State == Active && !l.Type.NeedsRunning
}

// other is what a node can't be together with r; empty if there is no such thing.
func other(r schema.Resource) schema.Resource {
	switch r {
	case schema.Down:
		return schema.Paused
	case schema.Paused:
		return schema.Down
	default:
		return ""
	}
}
