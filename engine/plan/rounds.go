package plan

import (
	"maps"

	"github.com/hashicorp/hcl/v2"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/lang"
)

// Round is a round of a repeat by time.
type Round struct {
	// Vertices are its start and what is in it, in an order in which every edge
	// points backwards, or to what the plan has outside of the repeat.
	Vertices []*Vertex
	// Secrets are texts in it that must not be shown.
	Secrets []string
	Probes  []*lang.Probe // inside uses of defines in it
}

// Next plans one more round of the repeat that the vertex starts. The plan
// itself is not changed and does not hold the round. It may be called from
// several goroutines.
func (v *Vertex) Next(n int) (Round, hcl.Diagnostics) {
	made, diags := v.Step.Round(n)
	if diags.HasErrors() {
		return Round{}, diag.Sort(diags)
	}
	b := v.by.inner(made)
	r := b.round(v.Step, n, made.Steps)
	r.start.Cleanup = v.Cleanup
	b.add(r.start)
	b.addSteps(r.steps, v.Cleanup)
	b.countReferences(r.steps)
	b.order(r.steps, r.start)
	if b.reportForward(); b.diags.HasErrors() {
		return Round{}, diag.Sort(b.diags)
	}
	b.placeJoins()
	b.dropBeyond()
	return Round{b.plan.Vertices, made.Secrets, made.Probes}, nil
}

// inner is a builder of what stands inside of what another has built: it knows
// what is outside, and leaves it as it is.
func (b *builder) inner(made lang.Round) *builder {
	known := unknowns{made.Planned, maps.Clone(b.known.others)}
	in := &builder{
		variant: b.variant,
		known:   known,
		scope:   lang.Unchanging(known),
		plan:    &Plan{Variant: b.variant},
		byID:    maps.Clone(b.byID),
		nodes:   b.nodes,
		count:   b.count,
		named:   maps.Clone(b.named),
		args:    maps.Clone(b.args),
		starter: b.starter,
		roots:   b.roots,
		joins:   newJoins(),
	}
	in.joins.saves, in.joins.all, in.joins.since = b.joins.saves, maps.Clone(b.joins.all), b.count
	in.known.addSteps(made.Steps)
	return in
}

// dropBeyond forgets what was there to be checked only.
func (b *builder) dropBeyond() {
	kept := make([]*Vertex, 0, len(b.plan.Vertices))
	for _, v := range b.plan.Vertices {
		if !v.beyond {
			kept = append(kept, v)
			continue
		}
		delete(b.byID, v.ID)
		if v.Step != nil && v.Kind != RoundStart { // which is of a step that may stay
			delete(b.named, v.Step.Address)
			delete(b.named, v.Step.Declaration)
		}
	}
	b.plan.Vertices = kept
}
