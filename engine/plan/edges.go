package plan

import (
	"slices"

	"github.com/scenario-run/scenario/dsl/lang"
)

// edgeSet are the edges of a vertex in the making. Of several with one cause to
// one vertex the one that needs most stays.
type edgeSet struct {
	shared []Edge // with other vertices; never changed
	own    []Edge
	at     map[edgeKey]int // in own, once there are many
}

type edgeKey struct {
	on    string
	cause Cause
}

// fewEdges are looked through one by one.
const fewEdges = 8

func (w *edgeSet) isEmpty() bool { return len(w.shared)+len(w.own) == 0 }

func (w *edgeSet) add(e Edge) {
	i := w.find(e)
	if i >= 0 {
		if strength(e.Need) > strength(w.own[i].Need) {
			w.own[i] = e
		}
		return
	}
	w.own = append(w.own, e)
	switch {
	case w.at != nil:
		w.at[edgeKey{e.On, e.Cause}] = len(w.own) - 1
	case len(w.own) > fewEdges:
		w.at = make(map[edgeKey]int, 2*len(w.own))
		for n, x := range w.own {
			w.at[edgeKey{x.On, x.Cause}] = n
		}
	}
}

func (w *edgeSet) find(e Edge) int {
	if w.at == nil {
		return slices.IndexFunc(w.own, func(x Edge) bool { return x.On == e.On && x.Cause == e.Cause })
	}
	if i, ok := w.at[edgeKey{e.On, e.Cause}]; ok {
		return i
	}
	return -1
}

// list are all edges, the shared ones first.
func (w *edgeSet) list() []Edge {
	if len(w.own) == 0 {
		return slices.Clip(w.shared)
	}
	return append(slices.Clip(w.shared), w.own...)
}

func strength(n lang.Need) int {
	return slices.Index([]lang.Need{lang.NeedNothing, lang.NeedStarted, lang.NeedActive, lang.NeedFinished}, n)
}
