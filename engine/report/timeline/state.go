package timeline

import (
	"slices"
	"strings"
	"time"

	"github.com/scenario-run/scenario/engine/event"
)

// variant is what the events said about one variant so far.
type variant struct {
	key     string
	began   time.Duration // since the run began
	wall    time.Time     // when it began
	started event.VariantStarted
	steps   map[string]event.Step
	likes   map[string]event.Step // by their addresses without rounds
	columns columns

	running  []string // addresses, in the order of their starts
	since    map[string]time.Duration
	attempt  map[string]int
	doing    map[string]string // last progress
	ended    map[string]stepEnd
	faults   []*faultLife
	lasting  map[string]bool // fault steps that end when their fault is healed
	traffic  []event.WorkloadStarted
	seen     []symptom
	nodes    []string          // in the order in which they were first seen
	node     map[string]string // address → state
	image    map[string]string // those on the way → last progress
	images   []string
	phase    string
	outputs  []event.Output
	finished bool
	// introduced says that its description has been printed.
	introduced bool
	left       []event.LeftBehind
	failed     []string            // steps that did not pass, in the order of their ends
	exits      map[string]nodeExit // the last of each node
	// rounds are the steps that rounds by time told of, by their repeat.
	rounds map[string][]string
}

type stepEnd struct {
	at time.Duration
	event.StepFinished
}

type nodeExit struct {
	at time.Duration
	event.NodeChanged
}

// faultLife is when a fault was in effect.
type faultLife struct {
	step  string
	nodes []string
	// since the run began; active and healed are 0 until then
	injected, active, healed time.Duration
	text                     string
	broken                   string // why nothing is known of its state
}

func newVariant(e event.Event, s event.VariantStarted) *variant {
	v := &variant{
		key: e.Variant, began: e.Mono, wall: e.Time, started: s,
		steps:   map[string]event.Step{},
		likes:   map[string]event.Step{},
		columns: columnsFor(s.Steps),
		since:   map[string]time.Duration{},
		attempt: map[string]int{},
		doing:   map[string]string{},
		ended:   map[string]stepEnd{},
		node:    map[string]string{},
		image:   map[string]string{},
		lasting: map[string]bool{},
		exits:   map[string]nodeExit{},
		rounds:  map[string][]string{},
	}
	for _, step := range s.Steps {
		v.steps[step.Address] = step
		v.likes[anyRound(step.Address)] = step
	}
	return v
}

// kindOf is what a step is called in the timeline: an action by its type, the
// others by what they are.
func kindOf(s event.Step) string {
	switch {
	case s.Kind == "workload" && s.Type != "":
		return "workload " + s.Type
	case s.Kind == "group" && s.Type == "":
		parts := addressParts(s.Address)
		prefix, _, _ := strings.Cut(parts[len(parts)-1], ".")
		return prefix
	case s.Type != "":
		return s.Type
	default:
		return s.Kind
	}
}

// sinceStart is a time of the run in the variant's seconds.
func (v *variant) sinceStart(mono time.Duration) float64 { return (mono - v.began).Seconds() }

// record takes in an event of the variant.
func (v *variant) record(e event.Event) {
	switch b := e.Body.(type) {
	case event.ImageProgress:
		v.imageOnTheWay(b.Name, b.Text)
	case event.ImageReady:
		delete(v.image, b.Name)
		v.images = slices.DeleteFunc(v.images, func(n string) bool { return n == b.Name })
	case event.NodeChanged:
		v.recordNode(e, b)
	case event.RoundStarted:
		v.recordRound(b)
	case event.StepStarted:
		if !slices.Contains(v.running, b.Step) {
			v.running = append(v.running, b.Step)
			v.since[b.Step] = e.Mono
		}
		v.attempt[b.Step] = b.Attempt
		if b.Attempt > 1 {
			v.forgive(b.Step)
		}
		delete(v.doing, b.Step)
	case event.StepProgress:
		v.doing[b.Step] = b.Text
	case event.StepFinished:
		v.recordEnd(e, b)
	case event.FaultChanged:
		v.recordFault(e, b)
	case event.WorkloadStarted:
		v.traffic = append(v.traffic, b)
	case event.WorkloadFinished:
		if b.FirstError != "" {
			v.symptom(seconds(b.FirstErrorAt), "", stepName(v.step(b.Workload))+": "+b.FirstError)
		}
	case event.PhaseStarted:
		v.phase = b.Phase
	case event.Output:
		v.outputs = append(v.outputs, b)
	case event.LeftBehind:
		v.left = append(v.left, b)
	}
}

// recordRound takes in the steps of a round that the plan did not have, and
// forgets those of the one before that went well: rounds by time can be many.
func (v *variant) recordRound(b event.RoundStarted) {
	gone := map[string]bool{}
	for _, a := range v.rounds[b.Step] {
		if end, ok := v.ended[a]; ok && (end.State == event.Passed || end.State == event.Skipped) {
			gone[a] = true
			delete(v.steps, a)
			delete(v.ended, a)
			delete(v.since, a)
			delete(v.attempt, a)
			delete(v.doing, a)
		}
	}
	v.faults = slices.DeleteFunc(v.faults, func(f *faultLife) bool { return f.healed != 0 && gone[f.step] })
	v.rounds[b.Step] = nil
	v.columns = v.columns.with(columnsFor(b.Steps))
	for _, s := range b.Steps {
		v.steps[s.Address] = s
		v.rounds[b.Step] = append(v.rounds[b.Step], s.Address)
	}
}

func (v *variant) imageOnTheWay(name, text string) {
	if _, ok := v.image[name]; !ok {
		v.images = append(v.images, name)
	}
	v.image[name] = text
}

func (v *variant) recordNode(e event.Event, b event.NodeChanged) {
	if _, ok := v.node[b.Node]; !ok {
		v.nodes = append(v.nodes, b.Node)
	}
	v.node[b.Node] = b.State
	if starved(b) {
		v.symptom(e.Mono, b.Node, b.Node+" "+starvedText)
	}
	if b.State != "exited" {
		return
	}
	if last := v.exits[b.Node]; !last.Unasked {
		v.exits[b.Node] = nodeExit{e.Mono, b}
	}
	if b.Unasked || b.AllowedBy != "" {
		v.symptom(e.Mono, b.Node, exitText(b))
	}
}

func (v *variant) recordEnd(e event.Event, b event.StepFinished) {
	v.running = slices.DeleteFunc(v.running, func(a string) bool { return a == b.Step })
	v.ended[b.Step] = stepEnd{e.Mono, b}
	if decides(b.State) {
		v.failed = append(v.failed, b.Step)
	} else {
		v.forgive(b.Step) // of what was to fail
	}
	s := v.step(b.Step)
	for _, o := range b.History {
		if o.Result == "false" || o.Result == "error" {
			v.symptom(seconds(o.At), "", kindOf(s)+" "+stepName(s)+": "+o.Text)
		}
	}
	if b.Cause != nil && len(b.History) == 0 && b.State != event.Skipped && b.State != event.Cancelled {
		v.symptom(e.Mono, "", kindOf(s)+" "+stepName(s)+": "+b.Cause.Message)
	}
}

// forgive forgets the failures inside a group that has begun anew, or has
// passed in spite of them.
func (v *variant) forgive(group string) {
	v.failed = slices.DeleteFunc(v.failed, func(a string) bool { return isInside(a, group) })
}

func (v *variant) recordFault(e event.Event, b event.FaultChanged) {
	f := v.lastFault(b.Step)
	if f == nil || f.healed != 0 {
		switch b.State {
		case "injecting", "active": // symptoms can come before the effect has been observed
			f = &faultLife{step: b.Step, injected: e.Mono}
			v.faults = append(v.faults, f)
		case "invalid": // a heal that failed
		default:
			return
		}
	}
	if f == nil {
		return
	}
	switch b.State {
	case "active":
		f.nodes, f.active, f.text, f.broken = b.Nodes, e.Mono, effect(b), ""
		v.lasting[b.Step] = b.For > 0
	case "healing", "healed":
		f.healed = e.Mono
	case "invalid":
		if f.active != 0 && f.healed == 0 { // it lapsed
			f.healed = e.Mono
		}
		f.broken = b.Text
		if f.broken == "" {
			f.broken = "an error"
		}
	}
}

// lastFault is the fault that a step has injected last, or nil.
func (v *variant) lastFault(step string) *faultLife {
	for _, f := range slices.Backward(v.faults) {
		if f.step == step {
			return f
		}
	}
	return nil
}

// neverActive says that no effect was seen of the faults of a step, which
// passed all the same: it was to fail.
func (v *variant) neverActive(step string) bool {
	injected := false
	for _, f := range v.faults {
		if f.step == step && f.active > 0 {
			return false
		}
		injected = injected || f.step == step
	}
	return injected
}

// effect is what a fault did, in words.
func effect(b event.FaultChanged) string {
	if b.Text != "" {
		return b.Text
	}
	return strings.Join(b.Hits, ", ")
}

// decides says that a state counts for the verdict.
func decides(s event.State) bool {
	return s == event.Failed || s == event.Error || s == event.Inconclusive
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
