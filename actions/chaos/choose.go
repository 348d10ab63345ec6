package chaos

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/step"
)

// option is a fault to choose from.
type option struct {
	place int // among the blocks
	Type  string
	Args  cty.Value
	For   time.Duration
	Nodes []string // that it names, each once
	// Each is the argument of whose nodes one is hit at a time; empty: all Nodes
	// are hit at once.
	Each string
}

// optionOf reads what a fault block says of nodes.
func optionOf(t schema.Type, args cty.Value) option {
	o := option{Type: t.Name, Args: args}
	for _, a := range t.Args.Attrs {
		given := args.GetAttr(a.Name)
		if !a.TakesNodes() || given.IsNull() {
			continue
		}
		if a.Each {
			o.Each = a.Name
		}
		for _, address := range addresses(given) {
			if !slices.Contains(o.Nodes, address) {
				o.Nodes = append(o.Nodes, address)
			}
		}
	}
	return o
}

// addresses are the nodes in a value, in whatever nesting of lists.
func addresses(v cty.Value) (all []string) {
	if v.Type() == cty.String {
		return []string{v.AsString()}
	}
	for _, e := range v.AsValueSlice() {
		all = append(all, addresses(e)...)
	}
	return all
}

// named are all nodes that options name.
func named(all []option) (nodes []string) {
	for _, o := range all {
		for _, n := range o.Nodes {
			if !slices.Contains(nodes, n) {
				nodes = append(nodes, n)
			}
		}
	}
	return nodes
}

// chooser chooses one fault after the other. It reckons with the times that
// stand in the file, never with those that things take, so that it comes to the
// same each time; who carries it out waits where those before have not ended
// as they should have.
type chooser struct {
	intent
	nodes  []string
	random *rand.Rand
	on     []hit
	over   []int // that have ended, and nobody has been told to wait for yet
}

// hit is a fault that has been chosen, and has not ended.
type hit struct {
	n     int
	nodes []string
	ticks int // how many intervals it lasts, a part of one counting as a whole
}

func newChooser(in intent) *chooser {
	return &chooser{intent: in, nodes: named(in.Options), random: rand.New(rand.NewPCG(in.Seed, 0))}
}

// next chooses the n-th fault; nil if none can be injected that leaves enough
// nodes untouched.
func (c *chooser) next(n int) *step.Injection {
	c.on = slices.DeleteFunc(c.on, func(h hit) bool {
		if n-h.n < h.ticks {
			return false
		}
		c.over = append(c.over, h.n)
		return true
	})
	var free []option
	for i, o := range c.Options {
		o.place = i
		if o.Nodes = c.hittable(o); len(o.Nodes) > 0 {
			free = append(free, o)
		}
	}
	if len(free) == 0 {
		return nil
	}
	o := free[c.random.IntN(len(free))]
	if o.Each != "" {
		one := o.Nodes[c.random.IntN(len(o.Nodes))]
		o.Nodes, o.Args = []string{one}, with(o.Args, o.Each, cty.ListVal([]cty.Value{cty.StringVal(one)}))
	}
	c.on = append(c.on, hit{n, o.Nodes, int((o.For + c.Every - 1) / c.Every)})
	in := &step.Injection{Type: o.Type, Of: o.place, Args: o.Args, Nodes: o.Nodes, After: c.over}
	c.over = nil
	return in
}

// hittable are the nodes that an option could hit now.
func (c *chooser) hittable(o option) []string {
	var free []string
	for _, n := range o.Nodes {
		if !slices.ContainsFunc(c.on, func(h hit) bool { return slices.Contains(h.nodes, n) }) {
			free = append(free, n)
		}
	}
	hits := 1
	if o.Each == "" {
		hits = len(o.Nodes)
	}
	if len(free) < hits || c.untouched()-hits < c.Keep {
		return nil
	}
	return free
}

func (c *chooser) untouched() int {
	n := len(c.nodes)
	for _, h := range c.on {
		n -= len(h.nodes)
	}
	return n
}

// with is an object with one attribute replaced.
func with(object cty.Value, name string, v cty.Value) cty.Value {
	attrs := object.AsValueMap()
	attrs[name] = v
	return cty.ObjectVal(attrs)
}
