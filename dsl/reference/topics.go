package reference

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/schema"
)

// capturedType is how the type of a workload's captured is shown: which names
// there are, its arguments say.
var capturedType = cty.Map(cty.List(cty.String))

// makeTopics turns the language into topics.
func (l *Language) makeTopics() []Topic {
	var all []Topic
	for _, b := range l.Blocks {
		all = append(all, l.blockTopic(b))
	}
	all = append(all, l.nestedTopics()...)
	for _, t := range l.Types {
		all = append(all, typeTopic(t))
	}
	for _, r := range l.Roots {
		all = append(all, rootTopic(r))
	}
	for _, w := range l.Windows {
		all = append(all, windowTopic(w))
	}
	for _, f := range l.Functions {
		all = append(all, functionTopic(f))
	}
	for _, a := range l.Statistics {
		all = append(all, statisticTopic(a))
	}
	all = append(all, l.argumentTopics()...)
	all = append(all, l.attributeTopics()...)
	for _, f := range l.Formats {
		all = append(all, formatTopic(f))
	}
	for _, w := range l.ValueTypes {
		all = append(all, valueTypeTopic(w))
	}
	for _, c := range l.Codes {
		all = append(all, codeTopic(c))
	}
	for i := range all {
		if own := examplesOf(all[i].Kind, all[i].Name); len(own) > 0 {
			all[i].Examples = append(all[i].Examples, own...)
		}
	}
	return all
}

// typeTopic describes a type of the vocabulary.
func typeTopic(t schema.Type) Topic {
	topic := Topic{Kind: Kind(t.Kind), Name: t.Name, Summary: t.Summary, Doc: strings.TrimSpace(t.Doc), Usage: typeUsage(t)}
	args := Section{Title: "Arguments", Rows: arguments(t.Args)}
	if t.Kind == schema.Fault {
		args.Rows = append(args.Rows, arguments(schema.FaultArgs)...)
	}
	if meta := names(metaOf(t.Kind)); len(meta) > 0 {
		args.After = andThose(args.Rows) + " of every " + blockOf(t.Kind) + ": " + code(meta) + "."
	}
	topic.Sections = append(topic.Sections, args)
	if res := resultSection(t); len(res.Rows) > 0 || res.After != "" {
		topic.Sections = append(topic.Sections, res)
	}
	if effect := effects(t); effect != "" {
		topic.Doc += "\n\n" + effect
	}
	for _, e := range t.Examples {
		topic.Examples = append(topic.Examples, Example{Title: e.Title, Files: []File{{"example.hcl", e.Text}}})
	}
	topic.See = []string{blockOf(t.Kind)}
	topic.bodies = []body{{true, allArguments(t)}, {false, allResults(t)}}
	if t.Kind != schema.NodeKind {
		topic.refer = refer(blockOf(t.Kind) + ".NAME")
	}
	return topic
}

// allArguments are those of a type and of the block that it stands in.
func allArguments(t schema.Type) schema.Object {
	all := t.Args
	if t.Kind == schema.Fault {
		all = all.And(schema.FaultArgs)
	}
	return all.And(metaOf(t.Kind))
}

// allResults are those of a type and of every block of its kind.
func allResults(t schema.Type) schema.Object {
	var all schema.Object
	if t.Result != nil {
		all = t.Result(cty.UnknownVal(t.Args.Type()))
	}
	if t.Kind == schema.Workload && !isStatistics(all.Attrs) {
		all = all.And(schema.Statistics(capturedType))
	}
	if t.Kind == schema.Fault {
		all = all.And(schema.FaultAttrs)
	}
	if t.Kind != schema.Probe && t.Kind != schema.NodeKind {
		all = all.And(schema.StepAttrs)
	}
	return all
}

// andThose begins a sentence that follows a list, which may be empty.
func andThose(rows []Row) string {
	if len(rows) == 0 {
		return "Those"
	}
	return "And those"
}

// resultSection lists what a type yields. That statistics are, is said once.
func resultSection(t schema.Type) Section {
	s := Section{Title: "Results"}
	var attrs []schema.Attr
	if t.Result != nil {
		attrs = t.Result(cty.UnknownVal(t.Args.Type())).Attrs
	}
	statistics := t.Kind == schema.Workload || isStatistics(attrs)
	switch {
	case statistics:
		s.After = "Statistics of the whole workload: " + code(attrNames(schema.Statistics(capturedType).Attrs)) + "."
	default:
		s.Rows = results(attrs)
	}
	if t.Kind == schema.Fault {
		s.Rows = append(s.Rows, results(schema.FaultAttrs.Attrs)...)
	}
	if t.Kind != schema.Probe && t.Kind != schema.NodeKind {
		those := andThose(s.Rows)
		if s.After != "" {
			those = s.After + " And those"
		}
		s.After = those + " of every step: " + code(attrNames(schema.StepAttrs.Attrs)) + "."
	}
	return s
}

func isStatistics(attrs []schema.Attr) bool {
	return slices.Equal(attrNames(attrs), attrNames(schema.Statistics(capturedType).Attrs))
}

func attrNames(attrs []schema.Attr) []string { return names(schema.Object{Attrs: attrs}) }

// blockOf is the block that names types of a kind.
func blockOf(k schema.Kind) string {
	switch k {
	case schema.Fault:
		return string(schema.Action)
	case schema.NodeKind:
		return "node"
	default:
		return string(k)
	}
}

// metaOf are the arguments that every block of a kind of type takes.
func metaOf(k schema.Kind) schema.Object {
	for _, b := range lang.Blocks() {
		if b.Name == blockOf(k) && k != schema.NodeKind {
			return b.Meta
		}
	}
	return schema.Object{}
}

// effects says what a type takes of nodes and ends.
func effects(t schema.Type) string {
	var parts []string
	if len(t.Takes) > 0 {
		also := "A second fault that wants the same of a node is found before anything runs."
		switch t.Takes[0] {
		case schema.Links:
			also = "Faults on links combine with each other."
		case schema.Attached:
			also = "Each network is lost once: a second fault on the same one is found before anything runs."
		}
		parts = append(parts, "While it lasts, "+effect(t.Takes, "and")+". "+also)
	}
	if len(t.Ends) > 0 {
		parts = append(parts, "It ends faults by which "+effect(t.Ends, "or")+".")
	}
	switch down, paused := t.Refuses(schema.Down), t.Refuses(schema.Paused); {
	case down && paused:
		parts = append(parts, "The node must run and not be paused.")
	case down:
		parts = append(parts, "The node must run; it may be paused.")
	case paused:
		parts = append(parts, "The node must not be paused.")
	}
	if len(t.Needs) > 0 {
		needs := make([]string, len(t.Needs))
		for i, n := range t.Needs {
			needs[i] = n.String()
		}
		parts = append(parts, "The kernel that nodes run on must have "+strings.Join(needs, ", and ")+"; that is looked at before the first step.")
	}
	return strings.Join(parts, " ")
}

func effect(list []schema.Resource, joined string) string {
	words := make([]string, len(list))
	for i, r := range list {
		words[i] = map[schema.Resource]string{
			schema.Down: "its nodes are down", schema.Paused: "its nodes are paused",
			schema.CPU: "the CPU of its nodes is limited", schema.Memory: "the memory of its nodes is limited",
			schema.Disk: "the disk of its nodes is full", schema.Links: "links of its nodes are disturbed",
			schema.Attached: "its node is off a network",
		}[r]
	}
	return strings.Join(words, " "+joined+" ")
}

// typeUsage shows a block of a type with what it must have.
func typeUsage(t schema.Type) string {
	if t.Kind == schema.NodeKind {
		return "node \"NAME\" {\n  image = …\n  " + t.Name + " {" + requiredLines(t.Args, "    ") + "\n  }\n}"
	}
	lines := requiredLines(t.Args, "  ")
	if lines != "" {
		lines += "\n"
	}
	return fmt.Sprintf("%s %q \"NAME\" {%s}", blockOf(t.Kind), t.Name, lines)
}

// requiredLines are the required arguments, a line each with a value of their
// type, and a line for the others.
func requiredLines(o schema.Object, indent string) string {
	var b strings.Builder
	width, others := 0, len(o.Blocks)
	for _, a := range o.Attrs {
		if a.Required {
			width = max(width, len(a.Name))
		} else {
			others++
		}
	}
	for _, a := range o.Attrs {
		if a.Required {
			fmt.Fprintf(&b, "\n%s%-*s = %s", indent, width, a.Name, sample(a))
		}
	}
	if others > 0 {
		fmt.Fprintf(&b, "\n%s…", indent)
	}
	return b.String()
}

func rootTopic(r lang.Root) Topic {
	t := Topic{Kind: RootTopic, Name: r.Name, Summary: r.Summary, root: r.Name, refer: refer(r.Name), bodies: []body{{false, r.Value}}}
	if len(r.Value.Attrs) > 0 {
		t.Sections = []Section{{Title: "Attributes", Rows: results(r.Value.Attrs)}}
	}
	var ways []string
	for _, a := range r.Value.Attrs {
		ways = append(ways, r.Name+"."+a.Name)
	}
	t.Usage = strings.Join(ways, "\n")
	return t
}

// windowGroup is the group of functions over a part of a workload.
const windowGroup = "windows"

func windowTopic(w lang.WindowFunction) Topic {
	usage := call(string(w.Name), w.Params)
	return Topic{
		Kind: FunctionTopic, Name: string(w.Name), Group: windowGroup, Summary: w.Summary, Usage: usage,
		refer: refer(usage), bodies: []body{{false, schema.Statistics(capturedType)}},
		Doc: "Its arguments are references to declarations, such as `workload.clients` and `action.outage`, not values; an index is allowed. " +
			"The result is an object of statistics. Those that have no value yet are unknown, so that a condition over nothing is neither true nor false.",
		See: []string{"statistics"},
	}
}

func functionTopic(f Function) Topic {
	return Topic{
		Kind: FunctionTopic, Name: f.Name, Group: string(f.Group), Summary: f.Summary, Usage: f.Usage(),
		Examples: []Example{{Files: []File{{"", f.Example + "\n# " + f.Yields}}}},
	}
}

// withoutValue says when a statistic has none.
const withoutValue = "All but `total` are unknown for a window without samples, and percentiles below 20 answers."

func statisticTopic(a schema.Attr) Topic {
	return Topic{
		Kind: StatisticTopic, Name: a.Name, Summary: summaryOf(a.Doc), Doc: a.Doc,
		Usage: "workload.NAME." + a.Name + "\nduring(workload.NAME, action.FAULT)." + a.Name,
		Sections: []Section{{Title: "Type", Rows: []Row{{Name: a.Notation()}},
			After: withoutValue}},
		See: []string{"workload", "during", "between", "since"},
	}
}

// attributeTopics are the attributes that every step, fault and node has.
func (l *Language) attributeTopics() []Topic {
	owners := []struct {
		of, usage string
		attrs     []schema.Attr
	}{
		{"every step", "action.NAME", schema.StepAttrs.Attrs},
		{"every fault", "action.NAME", schema.FaultAttrs.Attrs},
	}
	for _, b := range l.Blocks {
		if b.Name == "node" || b.Name == "scenario" {
			owners = append(owners, struct {
				of, usage string
				attrs     []schema.Attr
			}{"a " + b.Name, b.Refer, b.Value.Attrs})
		}
	}
	var all []Topic
	at := map[string]int{}
	for _, o := range owners {
		for _, a := range o.attrs {
			i, has := at[a.Name]
			if !has {
				i = len(all)
				at[a.Name] = i
				all = append(all, Topic{Kind: AttributeTopic, Name: a.Name, Sections: []Section{{Title: "Of"}}})
			}
			t := &all[i]
			t.Sections[0].Rows = append(t.Sections[0].Rows, Row{Name: o.of, Type: a.Notation(), Doc: a.Doc})
			t.Summary = strings.Join(append(splitNonEmpty(t.Summary, "; "), "of "+o.of+": "+summaryOf(a.Doc)), "; ")
			t.Usage = strings.Join(append(splitNonEmpty(t.Usage, "\n"), o.usage+"."+a.Name), "\n")
		}
	}
	return all
}

func splitNonEmpty(s, sep string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, sep)
}

func formatTopic(f schema.FormatInfo) Topic {
	return Topic{Kind: FormatTopic, Name: string(f.Format), Summary: summaryOf(f.Doc), Doc: afterSummary(f.Doc), Usage: f.Example}
}

// valueTypeTopic shows a type in the block that it can stand in.
func valueTypeTopic(w lang.TypeWord) Topic {
	t := Topic{Kind: ValueTypeTopic, Name: w.Name, Summary: w.Summary, Doc: w.Doc, Usage: "type = " + w.Type, See: []string{"variable", "param"}}
	if w.OfParams {
		t.See = []string{"param", "define"}
		return t
	}
	text := fmt.Sprintf("scenario \"example\" {}\n\nvariable \"color\" {\n  type    = %s\n  default = %s\n}\n", w.Type, w.Value)
	t.Examples = []Example{{Title: "A variable of it", Files: []File{{"example.hcl", text}}}}
	return t
}

func codeTopic(c Code) Topic {
	t := Topic{Kind: CodeTopic, Name: string(c.Code), Summary: c.Summary, Doc: c.Doc}
	if len(c.Wrong) > 0 {
		t.Examples = []Example{{Title: "Wrong", Files: c.Wrong, Wrong: true}, {Title: "Right", Files: c.Right}}
	}
	return t
}
