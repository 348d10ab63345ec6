package plan

import (
	"fmt"
	"strings"
)

// Mermaid returns the graphs of plans as one flowchart of Mermaid: groups as
// subgraphs, causes on the edges. Of several plans each is a subgraph.
func Mermaid(plans ...*Plan) string {
	m := &mermaid{}
	m.line(0, "flowchart TD")
	for _, p := range plans {
		m.ids = map[*Vertex]string{}
		depth := 1
		if len(plans) > 1 {
			m.open(1, p.Name())
			depth = 2
		}
		m.cluster(p.clusters(), depth)
		if len(plans) > 1 {
			m.line(1, "end")
		}
		for _, l := range p.links() {
			m.line(1, "%s -->|%s| %s", m.ids[l.from], quoteMermaid(l.label()), m.ids[l.to])
		}
	}
	return m.out.String()
}

type mermaid struct {
	out      strings.Builder
	ids      map[*Vertex]string
	vertices int
	groups   int
}

func (m *mermaid) line(depth int, format string, args ...any) {
	m.out.WriteString(strings.Repeat("  ", depth))
	fmt.Fprintf(&m.out, format+"\n", args...)
}

func (m *mermaid) open(depth int, title string) {
	m.groups++
	m.line(depth, "subgraph g%d[%s]", m.groups, quoteMermaid(title))
}

func (m *mermaid) cluster(c *cluster, depth int) {
	for _, part := range c.parts {
		if part.cluster != nil {
			m.open(depth, part.cluster.title)
			m.cluster(part.cluster, depth+1)
			m.line(depth, "end")
			continue
		}
		m.vertices++
		id := fmt.Sprintf("v%d", m.vertices)
		m.ids[part.vertex] = id
		m.line(depth, "%s[%s]", id, quoteMermaid(part.vertex.ID+"\n"+oneLine(part.vertex.Title)))
	}
}

// mermaidEscapes are what means something within a quoted text: a quote ends it,
// a backtick makes it Markdown, the rest begins an entity, an element of HTML or
// a directive.
var mermaidEscapes = strings.NewReplacer(
	`"`, "#quot;", "#", "#35;", "&", "#amp;", "<", "#lt;", ">", "#gt;", "`", "#96;", "%", "#37;", `\`, "#92;",
	"\r\n", "<br/>", "\n", "<br/>", "\r", "<br/>",
)

func quoteMermaid(s string) string { return `"` + mermaidEscapes.Replace(s) + `"` }
