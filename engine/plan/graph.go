package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/scenario-run/scenario/dsl/lang"
)

// cluster is a part of the graph that is drawn as one: provisioning, the cleanup
// block, a group with its start and its end, a round of a repeat. What is in none
// of these stands in one without a title.
type cluster struct {
	id, title string
	section   bool // provisioning or cleanup
	parts     []part
}

// part is a vertex of a cluster, or a cluster within it.
type part struct {
	vertex  *Vertex
	cluster *cluster
}

// clusters arranges the vertices by section and, within it, by group.
func (p *Plan) clusters() *cluster {
	top := &cluster{}
	sections, groups := map[string]*cluster{}, map[string]*cluster{}
	for _, v := range p.Vertices {
		parent := groups[v.Group]
		if parent == nil {
			parent = top.inSection(sections, sectionOf(v))
		}
		if id, opens := v.opens(); opens {
			c := &cluster{id: id, title: v.Title}
			groups[id] = c
			parent.parts = append(parent.parts, part{cluster: c})
			parent = c
		}
		if own := groups[v.ID]; own != nil {
			parent = own // the end of a group, or the start of a round
		}
		parent.parts = append(parent.parts, part{vertex: v})
	}
	return top
}

// opens returns the ID of the group or the round that the vertex starts.
func (v *Vertex) opens() (group string, ok bool) {
	switch v.Kind {
	case GroupStart:
		return v.Step.Address, true
	case RoundStart:
		return v.ID, true
	default:
		return "", false
	}
}

// inSection is the cluster of provisioning or of cleanup. Steps stand outside.
func (c *cluster) inSection(known map[string]*cluster, name string) *cluster {
	if name == stepsSection {
		return c
	}
	if known[name] == nil {
		known[name] = &cluster{id: name, title: name, section: true}
		c.parts = append(c.parts, part{cluster: known[name]})
	}
	return known[name]
}

// link is all that one vertex waits for another by.
type link struct {
	from, to *Vertex
	causes   []string // "order", "reference (active)"
}

func (l link) label() string { return strings.Join(l.causes, ", ") }

// links are the plan's edges in the direction of time, those between the same
// two vertices together.
func (p *Plan) links() []link {
	byID := map[string]*Vertex{}
	var all []link
	for _, v := range p.Vertices {
		byID[v.ID] = v
		at := map[string]int{}
		for _, e := range v.Waits {
			i, ok := at[e.On]
			if !ok {
				i = len(all)
				at[e.On] = i
				all = append(all, link{from: byID[e.On], to: v})
			}
			all[i].causes = append(all[i].causes, e.label())
		}
	}
	return all
}

func (e Edge) label() string {
	if e.Need == lang.NeedFinished {
		return string(e.Cause)
	}
	return fmt.Sprintf("%s (%s)", e.Cause, e.Need)
}

// Name is the variant's name: liveness [storage=redis].
func (p *Plan) Name() string {
	if s := p.Variant.Scenario; s != nil {
		return title(s.Name, p.Variant.Key)
	}
	return title("", p.Variant.Key)
}

// GraphText returns the graph for people: below each vertex those that wait for
// it, and why.
func (p *Plan) GraphText() string {
	g := &graphText{next: map[*Vertex][]link{}}
	for _, l := range p.links() {
		g.next[l.from] = append(g.next[l.from], l)
	}
	g.out.WriteString(p.Name() + "\n")
	g.cluster(p.clusters(), "")
	return g.out.String()
}

type graphText struct {
	out  strings.Builder
	next map[*Vertex][]link
}

func (g *graphText) cluster(c *cluster, indent string) {
	for _, part := range c.parts {
		switch {
		case part.cluster == nil:
			g.vertex(part.vertex, indent)
		case part.cluster.section:
			g.out.WriteString(indent + part.cluster.title + "\n")
			g.cluster(part.cluster, indent+"  ")
		default: // the first part is the group's start, which names it
			g.vertex(part.cluster.parts[0].vertex, indent)
			rest := *part.cluster
			rest.parts = rest.parts[1:]
			g.cluster(&rest, indent+"  ")
		}
	}
}

func (g *graphText) vertex(v *Vertex, indent string) {
	fmt.Fprintf(&g.out, "%s%s  %s\n", indent, v.ID, oneLine(v.Title))
	width := 0
	for _, l := range g.next[v] {
		width = max(width, runewidth.StringWidth(l.to.ID))
	}
	for _, l := range g.next[v] {
		fmt.Fprintf(&g.out, "%s  → %s  %s\n", indent, runewidth.FillRight(l.to.ID, width), l.label())
	}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// jsonGraph is the JSON form of a graph. Fields are added, never changed.
type jsonGraph struct {
	Version  int          `json:"version"`
	Scenario string       `json:"scenario"`
	Variant  string       `json:"variant,omitempty"`
	Vertices []jsonPoint  `json:"vertices"`
	Edges    []jsonArrow  `json:"edges"`
	Groups   []jsonBounds `json:"groups"`
}

type jsonPoint struct {
	ID    string `json:"id"`
	Kind  Kind   `json:"kind"`
	Title string `json:"title"`
	Group string `json:"group,omitempty"` // provision, cleanup, or the id of a group
}

// jsonArrow says that To waits for From.
type jsonArrow struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Need  string `json:"need"`
	Cause Cause  `json:"cause"`
}

type jsonBounds struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Group string `json:"group,omitempty"`
}

// GraphJSON returns the graph as data, the same for the same plan to the byte.
func (p *Plan) GraphJSON() ([]byte, error) {
	g := jsonGraph{Version: version, Variant: p.Variant.Key, Vertices: []jsonPoint{}, Edges: []jsonArrow{}, Groups: []jsonBounds{}}
	if s := p.Variant.Scenario; s != nil {
		g.Scenario = s.Name
	}
	g.add(p.clusters(), "")
	for _, v := range p.Vertices {
		for _, e := range v.Waits {
			g.Edges = append(g.Edges, jsonArrow{e.On, v.ID, string(e.Need), e.Cause})
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(g)
	return b.Bytes(), err
}

func (g *jsonGraph) add(c *cluster, parent string) {
	if c.id != "" {
		g.Groups = append(g.Groups, jsonBounds{c.id, c.title, parent})
	}
	for _, part := range c.parts {
		if part.cluster != nil {
			g.add(part.cluster, c.id)
			continue
		}
		v := part.vertex
		g.Vertices = append(g.Vertices, jsonPoint{v.ID, v.Kind, v.Title, c.id})
	}
}
