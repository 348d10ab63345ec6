package plan

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/lang"
)

// startType is the action that brings up nodes that nothing has started yet:
// a node that it names before anything else uses it isn't started at the
// beginning.
const startType = "start"

// Build plans a variant. The plan is nil if there are errors; notes and
// warnings come with a plan. A variant that the language has found errors in is
// planned too, to report what is certain in spite of them; that plan is not for
// being carried out.
func Build(v *lang.Variant) (*Plan, hcl.Diagnostics) {
	b := newBuilder(v)
	main := b.flatten(v.Steps, "")
	cleanup := b.flatten(v.Cleanup, "")
	b.findStarters(vertices(main))
	b.provision(append(vertices(main), vertices(cleanup)...))
	b.addSteps(main, false)
	b.addSteps(cleanup, true)

	b.countReferences(main)
	b.countReferences(cleanup)
	b.roots = b.through(startsFree(main), b.roots)
	b.order(main, nil)
	b.orderCleanup(cleanup)
	b.reportForward()
	b.connects = b.connecting()
	if !v.Gaps { // what isn't there might end a fault
		b.checkJoins()
		b.checkFaults()
		b.checkNeverStarted()
		b.checkHealsNothing()
		b.checkDisks()
		b.checkLimits()
		b.checkLinks()
		b.checkThroughout()
		if !b.diags.HasErrors() {
			b.noteUnhealed()
			b.warnOfIdle()
		}
	}
	if b.diags.HasErrors() {
		return nil, diag.Sort(b.diags)
	}
	b.warnOfNothing()
	b.placeJoins()
	b.dropBeyond()
	return b.plan, diag.Sort(b.diags)
}

// builder is a plan in the making.
type builder struct {
	variant  *lang.Variant
	known    unknowns
	scope    lang.Scope // the same, to evaluate with
	plan     *Plan
	byID     map[string]*Vertex
	nodes    map[string][]string    // see nodesOf
	nodeAt   map[string]*lang.Node  // by address
	imageAt  map[string]*lang.Image // see imageBlock
	named    map[string][]*Vertex   // by address of a step or declaration
	args     map[*lang.Step]cty.Value
	whens    map[*lang.Step]cty.Value // see when
	says     map[string]nodeSays      // see saysOf
	connects []*Vertex                // see connecting
	images   map[*lang.Step][]string  // IDs of those that a step names
	// starter is the step that starts a node, of those that the beginning
	// doesn't.
	starter map[string]*Vertex
	// roots are what every step that waits for no other step waits for.
	roots   []Edge
	forward []forward
	joins   joins
	ending  *enders // see enders
	walk    int     // see reaches
	count   int     // of vertices so far
	// beyond says that what is added is there to be checked only, see Vertex.
	beyond bool
	diags  hcl.Diagnostics
}

func (b *builder) fail(d *hcl.Diagnostic) { b.diags = append(b.diags, d) }

func newBuilder(v *lang.Variant) *builder {
	known := newUnknowns(v)
	return &builder{
		variant: v,
		known:   known,
		scope:   lang.Unchanging(known),
		plan:    &Plan{Variant: v},
		byID:    map[string]*Vertex{},
		named:   map[string][]*Vertex{},
		args:    map[*lang.Step]cty.Value{},
		whens:   map[*lang.Step]cty.Value{},
		images:  map[*lang.Step][]string{},
		starter: map[string]*Vertex{},
		joins:   newJoins(),
	}
}

// add appends a vertex to the plan.
func (b *builder) add(v *Vertex) *Vertex {
	v.beyond = b.beyond
	b.byID[v.ID] = v
	v.at = b.count
	b.count++
	b.plan.Vertices = append(b.plan.Vertices, v)
	return v
}

// declare makes a vertex what references to its step mean: by the address of
// the instance, and by that of the declaration.
func (b *builder) declare(s *lang.Step, v *Vertex) {
	b.named[s.Address] = append(b.named[s.Address], v)
	if whole := declaration(s); whole != s.Address {
		b.named[whole] = append(b.named[whole], v)
	}
}

// declaration is the address of a step without its key, which may hold
// anything.
func declaration(s *lang.Step) string {
	if s.Declaration != "" {
		return s.Declaration
	}
	base := string(s.Kind) + "." + s.Name
	i := strings.Index(s.Address, base+"[")
	if s.Key == cty.NilVal || i < 0 {
		return s.Address
	}
	return s.Address[:i] + base
}

// sequence is a list of steps in source order.
type sequence []unit

// unit is a declaration of a sequence: its instances, which don't wait for
// each other.
type unit struct{ items []item }

// item is an instance: one vertex, or a group with a start and an end.
type item struct {
	step   *lang.Step
	start  *Vertex  // of a group
	rounds []round  // of a repeat
	inside sequence // of a use of a define
	vertex *Vertex  // the step's own, or the group's end
}

// round is one round of a repeat.
type round struct {
	start *Vertex
	steps sequence
}

// head is the vertex that waits for what the item waits for.
func (i item) head() *Vertex {
	if i.start != nil {
		return i.start
	}
	return i.vertex
}

// flatten makes the vertices of steps, without edges and not yet in the plan.
func (b *builder) flatten(steps []*lang.Step, group string) sequence {
	var seq sequence
	for i, s := range steps {
		if i == 0 || s.Unclear || s.Kind != steps[i-1].Kind || s.Name != steps[i-1].Name {
			seq = append(seq, unit{})
		}
		u := &seq[len(seq)-1]
		u.items = append(u.items, b.item(s, group))
	}
	return seq
}

func (b *builder) item(s *lang.Step, group string) item {
	if s.Unclear {
		// Of one name there may be several, and what refers to it isn't checked.
		id := fmt.Sprintf("%s at %s", s.Address, s.Range)
		return item{step: s, vertex: &Vertex{ID: id, Kind: StepVertex, Step: s, Group: group}}
	}
	if s.Define != nil {
		return b.use(s, group)
	}
	if s.Kind != lang.RepeatStep {
		v := &Vertex{ID: s.Address, Kind: StepVertex, Step: s, Group: group, Targets: b.targets(s)}
		v.Title = stepTitle(v)
		b.declare(s, v)
		return item{step: s, vertex: v}
	}
	it := item{
		step:   s,
		start:  &Vertex{ID: startID(s.Address), Kind: GroupStart, Step: s, Group: group, Title: repeatTitle(s)},
		vertex: &Vertex{ID: s.Address, Kind: GroupEnd, Step: s, Group: group, Title: repeatEndTitle(s)},
	}
	if s.For > 0 {
		it.start.For, it.start.by = s.For, b
	}
	b.declare(s, it.vertex)
	for n, steps := range s.Rounds {
		it.rounds = append(it.rounds, b.round(s, n, steps))
	}
	return it
}

// use makes the vertices of a use of a define.
func (b *builder) use(s *lang.Step, group string) item {
	it := item{
		step:   s,
		start:  &Vertex{ID: startID(s.Address), Kind: GroupStart, Step: s, Group: group, Targets: b.targets(s)},
		vertex: &Vertex{ID: s.Address, Kind: GroupEnd, Step: s, Group: group, Title: "end of " + s.Type.Name},
	}
	it.start.Title = stepTitle(it.start)
	b.declare(s, it.vertex)
	it.inside = b.flatten(s.Inside, s.Address)
	return it
}

// round makes the vertices of a round.
func (b *builder) round(s *lang.Step, n int, steps []*lang.Step) round {
	name := roundID(s.Address, n)
	start := &Vertex{ID: name, Kind: RoundStart, Step: s, Group: s.Address, Round: n, Title: roundTitle(s, n)}
	return round{start, b.flatten(steps, name)}
}

// addSteps puts the vertices of a sequence into the plan, in source order.
func (b *builder) addSteps(seq sequence, cleanup bool) {
	for _, u := range seq {
		for _, it := range u.items {
			if it.start != nil {
				it.start.Cleanup = cleanup
				b.add(it.start)
			}
			outside := b.beyond
			for _, r := range it.rounds {
				b.beyond = outside || it.step.For > 0 && r.start.Round > 0
				r.start.Cleanup = cleanup
				b.add(r.start)
				b.addSteps(r.steps, cleanup)
			}
			b.addSteps(it.inside, cleanup)
			b.beyond = outside
			it.vertex.Cleanup = cleanup
			b.add(it.vertex)
		}
	}
}

// vertices are the step vertices of a sequence in source order, those in
// groups included.
func vertices(seq sequence) []*Vertex {
	var all []*Vertex
	for _, u := range seq {
		for _, it := range u.items {
			for _, r := range it.rounds {
				all = append(all, vertices(r.steps)...)
			}
			all = append(all, vertices(it.inside)...)
			if it.vertex.Kind == StepVertex {
				all = append(all, it.vertex)
			}
		}
	}
	return all
}

// warnOfNothing warns of a scenario that can't fail but by its nodes. The steps
// of cleanup say nothing of what is tested.
func (b *builder) warnOfNothing() {
	if len(b.variant.Steps) > 0 || b.variant.Gaps {
		return
	}
	what, why := "nothing is done and nothing asserted", "The scenario has no steps, so it passes as soon as its nodes run."
	if len(b.variant.Cleanup) > 0 {
		what, why = "there are only steps of cleanup", "They run when all is over and test nothing, so the scenario passes as soon as its nodes run."
	}
	b.fail(diag.New(diag.NothingDone, b.variant.Scenario.Range, what, why+" Add an action, a workload or an assert.", diag.AsWarning()))
}
