package plan

import "slices"

// reaches says that a vertex waits for another, directly or through others.
// Edges point backwards, so that nothing above the other needs to be looked at.
func (b *builder) reaches(v, other *Vertex) bool {
	if v != other && nothingWaitsFor(other) {
		return false
	}
	b.walk++
	return b.leads(v, other)
}

// nothingWaitsFor says that only the end waits for a step: it isn't clear, and in
// no group whose end would.
func nothingWaitsFor(v *Vertex) bool {
	return v.Step != nil && v.Step.Unclear && v.Group == "" && !v.Cleanup
}

func (b *builder) leads(v, other *Vertex) bool {
	if v == other {
		return true
	}
	if v.at < other.at || v.seen == b.walk {
		return false
	}
	v.seen = b.walk
	return b.standsBelow(v, other) || slices.ContainsFunc(v.Waits, func(e Edge) bool { return b.leads(b.byID[e.On], other) })
}

// standsBelow says that a vertex waits for another because it waits for all
// that stands above it, which saves the way from one to the other.
func (b *builder) standsBelow(v, other *Vertex) bool {
	if v.Step == nil || v.Step.Meta.After != nil || v.Cleanup != other.Cleanup {
		return false
	}
	for other.Group != v.Group {
		if other = b.byID[other.Group]; other == nil {
			return false
		}
	}
	// The end of a group, if it has come to be one, waits for all that is in it.
	return other.at < v.at && other.Kind != RoundStart && other.Step != nil && other.Step != v.Step &&
		!other.Step.Meta.Background && !other.Step.Unclear
}
