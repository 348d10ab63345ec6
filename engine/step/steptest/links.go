package steptest

import (
	"context"
	"slices"

	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/step"
)

// links are the World's: they remember what is in force for the one step that
// it has.
type links struct{ w *World }

var _ step.Links = links{}

func (l links) Set(_ context.Context, all []link.Link) error {
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	l.w.links = slices.Clone(all)
	return nil
}

func (l links) Observe(context.Context) (step.LinksSeen, error) {
	if len(l.w.Links()) == 0 {
		return step.LinksSeen{}, step.Inconclusivef("nothing is in force")
	}
	return step.LinksSeen{Ends: []string{"node.a: 1 rule in force, met 1 packet"}}, nil
}

func (l links) Clear(ctx context.Context) error { return l.Set(ctx, nil) }

func (l links) Cleared(context.Context) error {
	if len(l.w.Links()) > 0 {
		return step.Failf("links are still hit")
	}
	return nil
}

// Links are those that a fault has put in force.
func (w *World) Links() []link.Link {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.links)
}
