package plan

import (
	"slices"
	"time"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/schema"
)

// Plan is a variant's graph.
type Plan struct {
	Variant *lang.Variant
	// Vertices are in an order in which every edge points backwards:
	// provisioning, then the steps in source order, then cleanup.
	Vertices []*Vertex
}

// Kind says what a vertex does.
type Kind string

// The kinds of vertices.
const (
	ImageVertex   Kind = "image"   // makes an image available
	NetworkVertex Kind = "network" // makes a network
	VolumeVertex  Kind = "volume"  // makes a volume
	CreateVertex  Kind = "create"  // creates a node, does not start it
	NodeVertex    Kind = "node"    // starts a created node and waits until it is ready
	StepVertex    Kind = "step"    // carries out a step
	GroupStart    Kind = "group"   // starts a group, such as a repeat, if its when says so
	RoundStart    Kind = "round"   // starts a round of a repeat; finished at once
	GroupEnd      Kind = "end"     // ends a group; finished when all in it is
	JoinVertex    Kind = "join"    // does nothing; several wait for several others by it
)

// Vertex is one thing that is done.
type Vertex struct {
	// ID is unique: image.ray, network.default, volume.data, create.head,
	// node.head, action.outage; those of cleanup: cleanup/action.log. The end
	// of a group has its address, repeat.round, and the start is called
	// repeat.round/start; steps of a repeat carry the round:
	// repeat.round[0]/action.shot. A join is called after what it waits for,
	// action.shot/join.
	ID   string
	Kind Kind

	Image   *lang.Image   // of an image vertex with a block
	Pull    string        // of an image vertex without: the reference
	Network *lang.Network // nil for the run's own
	Volume  *lang.Volume
	Node    *lang.Node // of create and node vertices
	Step    *lang.Step // of a step vertex, and of a group's own vertices
	Round   int        // of a round's start, from 0
	Cleanup bool       // belongs to the cleanup block

	// Title is what it does, for people: "start node.head and node.worker".
	Title string
	// Targets are the addresses of the nodes that it acts on, as far as known.
	Targets []string
	// For is how long new rounds begin, of the start of a repeat by time. The
	// plan has its first round; Next makes those that come.
	For time.Duration
	// Group is the ID of the round or else of the group that it is in; empty at
	// the top. A round is in its repeat; the start and the end of a group are
	// not in it but where it stands.
	Group string
	Waits []Edge // may share its memory with that of others

	at   int // place among the plan's vertices
	seen int // the last walk that came by, see builder.reaches
	// beyond is set on the second round of a repeat by time, which is there to
	// be checked against the first, and not part of the plan.
	beyond bool
	by     *builder // of the start of a repeat by time
}

// Needs are what the machine must be able to do for a step: what its type needs,
// and the types of its nested blocks, such as the faults that chaos injects.
// Each is there once.
func (v *Vertex) Needs() []schema.Need {
	if v.Kind != StepVertex {
		return nil
	}
	all := slices.Clone(v.Step.Type.Needs)
	for _, t := range v.Step.Of {
		for _, n := range t.Needs {
			if !slices.ContainsFunc(all, func(is schema.Need) bool { return slices.Equal(is, n) }) {
				all = append(all, n)
			}
		}
	}
	return all
}

// Edge says that a vertex waits for another.
type Edge struct {
	On    string // ID
	Need  lang.Need
	Cause Cause
	Ref   *lang.Ref // of a reference
}

// Cause is why an edge is there.
type Cause string

// The causes.
const (
	ByOrder     Cause = "order"
	ByAfter     Cause = "after"
	ByReference Cause = "reference"
	ByNode      Cause = "node"  // the node must be there, or ready
	ByImage     Cause = "image" // or network, or volume: the node is made of it
)

// Vertex returns the vertex of that ID, or nil.
func (p *Plan) Vertex(id string) *Vertex {
	for _, v := range p.Vertices {
		if v.ID == id {
			return v
		}
	}
	return nil
}
