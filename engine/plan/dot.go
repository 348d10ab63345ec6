package plan

import (
	"fmt"
	"strings"
)

// DOT returns the graph in Graphviz's language: groups as clusters, causes on
// the edges.
func (p *Plan) DOT() string {
	d := &dot{}
	d.line(0, "digraph %s {", quoteDOT(p.Name()))
	d.line(1, "label = %s", quoteDOT(p.Name()))
	d.line(1, "labelloc = t")
	d.line(1, `node [shape = box, style = rounded, fontname = "sans-serif", fontsize = 10]`)
	d.line(1, `edge [fontname = "sans-serif", fontsize = 8]`)
	d.cluster(p.clusters(), 1)
	for _, l := range p.links() {
		d.line(1, "%s -> %s [label = %s]", quoteDOT(l.from.ID), quoteDOT(l.to.ID), quoteDOT(l.label()))
	}
	d.line(0, "}")
	return d.out.String()
}

type dot struct{ out strings.Builder }

func (d *dot) line(depth int, format string, args ...any) {
	d.out.WriteString(strings.Repeat("  ", depth))
	fmt.Fprintf(&d.out, format+"\n", args...)
}

func (d *dot) cluster(c *cluster, depth int) {
	for _, part := range c.parts {
		if part.cluster == nil {
			d.line(depth, "%s [label = %s]", quoteDOT(part.vertex.ID), quoteDOT(part.vertex.ID+"\n"+oneLine(part.vertex.Title)))
			continue
		}
		d.line(depth, "subgraph %s {", quoteDOT("cluster_"+part.cluster.id))
		d.line(depth+1, "label = %s", quoteDOT(part.cluster.title))
		d.cluster(part.cluster, depth+1)
		d.line(depth, "}")
	}
}

// dotEscapes are what means something between quotes: a quote ends the string,
// and a backslash makes a label show the node's name (\N) or begin a line (\n).
var dotEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\r\n", `\n`, "\n", `\n`, "\r", `\n`)

func quoteDOT(s string) string { return `"` + dotEscapes.Replace(s) + `"` }
