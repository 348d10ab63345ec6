package reference

import (
	"slices"
	"strings"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/schema"
)

// blockTopic describes a block that stands at the top of a file.
func (l *Language) blockTopic(b lang.Block) Topic {
	t := Topic{Kind: BlockTopic, Name: b.Name, Summary: b.Summary, Doc: b.Doc, Usage: blockUsage(b), root: rootOf(b.Refer), refer: refer(b.Refer)}
	if rows := arguments(b.Args); len(rows) > 0 {
		t.Sections = append(t.Sections, Section{Title: "Arguments", Rows: rows})
	}
	if rows := arguments(b.Meta); len(rows) > 0 {
		title := "Arguments of every " + b.Name
		t.Sections = append(t.Sections, Section{Title: title, Rows: rows})
	}
	if b.Kind != "" {
		t.Sections = append(t.Sections, l.typeSections(b.Kind)...)
	}
	if b.Name == "node" {
		t.Sections = append(t.Sections, l.typeSections(schema.NodeKind)...)
	}
	t.bodies = []body{{true, b.Args.And(b.Meta)}, {false, b.Value}}
	if b.Kind == schema.Workload {
		t.bodies = append(t.bodies, body{false, schema.Statistics(capturedType)})
	}
	if len(b.Value.Attrs) > 0 {
		t.Sections = append(t.Sections, Section{Title: "Attributes of " + b.Refer, Rows: results(b.Value.Attrs)})
	}
	return t
}

// typeSections list the types that a block can be of.
func (l *Language) typeSections(k schema.Kind) []Section {
	wanted := []schema.Kind{k}
	if k == schema.Action {
		wanted = append(wanted, schema.Fault)
	}
	var all []Section
	for _, k := range wanted {
		s := Section{Title: upperFirst(string(k)) + "s"}
		for _, t := range l.typesOf(k) {
			s.Rows = append(s.Rows, Row{Name: t.Name, Doc: t.Summary})
		}
		all = append(all, s)
	}
	return all
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func blockUsage(b lang.Block) string {
	head := b.Name
	for _, label := range b.Labels {
		head += ` "` + label + `"`
	}
	lines := requiredLines(b.Args, "  ")
	if b.Entries != "" {
		lines = "\n  " + b.Entries + lines
	}
	if len(b.Holds) > 0 {
		lines += "\n  " + strings.Join(b.Holds, ", ") + " …"
	}
	if lines == "" {
		lines = "\n  …"
	}
	usage := head + " {" + lines + "\n}"
	if b.Refer != "" {
		usage += "\n\n" + b.Refer
	}
	return usage
}

// headOf is what a nested block begins with.
func headOf(n schema.Block) string {
	if n.Label == "" {
		return n.Name
	}
	return n.Name + ` "` + n.Label + `"`
}

// nestedGroup is the group of blocks that stand in others.
const nestedGroup = "nested"

// nestedTopics describe the blocks that stand in others.
func (l *Language) nestedTopics() []Topic {
	var all []Topic
	add := func(owner string, n schema.Block) {
		for i := range all {
			if all[i].Name == n.Name {
				all[i].See = append(all[i].See, owner)
				return
			}
		}
		t := nestedTopic(n)
		t.See = []string{owner}
		all = append(all, t)
	}
	for _, b := range l.Blocks {
		for _, n := range slices.Concat(b.Args.Blocks, b.Meta.Blocks) {
			if !slices.ContainsFunc(l.Blocks, func(top lang.Block) bool { return top.Name == n.Name }) {
				add(b.Name, n) // what stands at the top as well is described there
			}
		}
	}
	for i := range all {
		all[i].Doc = strings.TrimSpace(all[i].Doc + "\n\nIt stands in " + code(all[i].See) + ".")
	}
	return all
}

func nestedTopic(n schema.Block) Topic {
	t := Topic{Kind: BlockTopic, Name: n.Name, Group: nestedGroup, Summary: summaryOf(n.Doc), Doc: afterSummary(n.Doc),
		Usage: headOf(n) + " {" + requiredLines(n.Body, "  ") + "\n}", bodies: []body{{true, n.Body}}}
	if rows := arguments(n.Body); len(rows) > 0 {
		t.Sections = []Section{{Title: "Arguments", Rows: rows}}
	}
	return t
}

// What takes arguments without being a block.
const (
	everyFault = "every fault"
	topOfAFile = "the top of a file"
)

// taken is an argument as some blocks take it.
type taken struct {
	by   []string
	attr schema.Attr
}

// argumentTopics describe the arguments of the language's own blocks.
func (l *Language) argumentTopics() []Topic {
	var order []string
	ways := map[string][]taken{}
	add := func(owner string, o schema.Object) {
		for _, a := range o.Attrs {
			if _, has := ways[a.Name]; !has {
				order = append(order, a.Name)
			}
			list := ways[a.Name]
			if i := slices.IndexFunc(list, func(t taken) bool { return t.attr.Doc == a.Doc }); i >= 0 {
				list[i].by = append(list[i].by, owner)
			} else {
				list = append(list, taken{[]string{owner}, a})
			}
			ways[a.Name] = list
		}
	}
	for _, b := range l.Blocks {
		add(b.Name, b.Meta)
		add(b.Name, b.Args)
		for _, n := range slices.Concat(b.Args.Blocks, b.Meta.Blocks) {
			add(n.Name, n.Body)
		}
	}
	add(everyFault, schema.FaultArgs)
	add(topOfAFile, lang.FileArgs())
	slices.Sort(order)
	var all []Topic
	for _, name := range order {
		all = append(all, argumentTopic(name, ways[name]))
	}
	return all
}

func argumentTopic(name string, ways []taken) Topic {
	t := Topic{Kind: ArgumentTopic, Name: name}
	s := Section{Title: "Taken by"}
	var blocks []string
	for _, w := range ways {
		by := slices.Compact(w.by)
		blocks = append(blocks, by...)
		s.Rows = append(s.Rows, Row{Name: strings.Join(by, ", "), Type: typeText(w.attr), Facts: facts(w.attr), Doc: w.attr.Doc})
	}
	t.Sections = []Section{s}
	t.Summary = summaryOf(ways[0].attr.Doc)
	if len(ways) > 1 {
		t.Summary = "of " + strings.Join(blocks, ", ")
	}
	t.Usage = name + " = " + sample(ways[0].attr)
	for _, b := range blocks {
		if b != everyFault && b != topOfAFile {
			t.See = append(t.See, b)
		}
	}
	return t
}
