package reference

import (
	"regexp"
	"slices"
	"strings"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/schema"
)

// body is what stands below a topic: what it takes or what it yields.
type body struct {
	takes  bool
	object schema.Object
}

// refer is what an expression writes for a topic before the name of what it
// yields: "action.NAME".
type refer string

// named is whether the reference has a name of the file's own in it.
func (r refer) named() bool { return strings.Contains(string(r), ".NAME") }

// member is what a path leads to below a topic.
type member struct {
	path  []string
	takes bool
	attr  *schema.Attr  // or
	block *schema.Block // a nested block
}

// members are what a path leads to below a topic: one that it takes, one that it
// yields, or both.
func (t Topic) members(path []string) []member {
	var all []member
	for _, b := range t.bodies {
		if m, ok := descend(b.object, path); ok {
			m.path, m.takes = path, b.takes
			all = append(all, m)
		}
	}
	return all
}

func descend(o schema.Object, path []string) (member, bool) {
	if a, ok := o.Attr(path[0]); ok {
		if len(path) == 1 {
			return member{attr: &a}, true
		}
		return descend(schema.Object{Attrs: a.Fields}, path[1:])
	}
	if b, ok := o.Block(path[0]); ok {
		if len(path) == 1 {
			return member{block: &b}, true
		}
		return descend(b.Body, path[1:])
	}
	return member{}, false
}

// topic describes a member of an owner.
func (m member) topic(owner Topic) Topic {
	name := owner.Name + "." + strings.Join(m.path, ".")
	whose := string(owner.Kind) + " " + owner.Name
	last := m.path[len(m.path)-1]
	var t Topic
	switch {
	case m.block != nil:
		t = nestedTopic(*m.block)
	case m.takes:
		t = argumentTopic(last, []taken{{[]string{whose}, *m.attr}})
	default:
		a := *m.attr
		t = Topic{Kind: AttributeTopic, Summary: summaryOf(a.Doc), Sections: []Section{{
			Title: "Of", Rows: []Row{{Name: whose, Type: a.Notation(), Doc: a.Doc, Rows: results(a.Fields)}},
		}}}
		if owner.refer != "" {
			t.Usage = string(owner.refer) + "." + strings.Join(m.path, ".")
		}
	}
	t.Name, t.See = name, []string{owner.Name}
	if m.attr != nil { // the summary says the first sentence already
		t.Sections[0].Rows[0].Doc = afterFirstSentence(m.attr.Doc)
	}
	if m.attr != nil && m.attr.Format != schema.NoFormat {
		t.See = append(t.See, string(m.attr.Format))
	}
	if e, ok := usedIn(owner.Examples, last, m.takes); ok {
		t.Examples = []Example{e}
	}
	return t
}

// usedIn is the first example that gives a value to an argument or has a block
// of that name.
func usedIn(examples []Example, name string, takes bool) (Example, bool) {
	if !takes {
		return Example{}, false
	}
	use := regexp.MustCompile(`(?m)^ +` + regexp.QuoteMeta(name) + ` *(=|\{|")`)
	i := slices.IndexFunc(examples, func(e Example) bool {
		return !e.Wrong && slices.ContainsFunc(e.Files, func(f File) bool { return use.MatchString(f.Text) })
	})
	if i < 0 {
		return Example{}, false
	}
	return examples[i], true
}

// brackets are an index, the arguments of a call, or the element of a type.
var brackets = regexp.MustCompile(`\[[^\]]*\]|\([^)]*\)`)

func withoutBrackets(word string) string { return brackets.ReplaceAllString(word, "") }

// segments are the names of a dotted path.
func segments(path string) []string { return strings.Split(withoutBrackets(path), ".") }

// owners are the topics that a path begins with, and what of it leads below
// them: in action.kill.signal that is kill, in node.ready.http it is node.
func (l *Language) owners(path []string) (owners []Topic, below []string) {
	for _, t := range l.topics {
		if strings.EqualFold(t.Name, path[1]) && t.isTypeIn(path[0]) {
			owners = append(owners, t)
		}
	}
	if len(owners) > 0 {
		return owners, path[2:]
	}
	for _, t := range l.topics {
		if strings.EqualFold(t.Name, path[0]) {
			owners = append(owners, t)
		}
	}
	return owners, path[1:]
}

// namesType says that a path begins with a block and a type that it takes. What
// is then not found below the type isn't a name of the file's own either.
func (l *Language) namesType(path []string) bool {
	return len(path) > 1 && slices.ContainsFunc(l.topics, func(t Topic) bool { return strings.EqualFold(t.Name, path[1]) && t.isTypeIn(path[0]) })
}

// isTypeIn says that a topic is a type that a block of that name takes.
func (t Topic) isTypeIn(block string) bool {
	switch t.Kind {
	case ActionTopic, FaultTopic, ProbeTopic, WorkloadTopic, NodeKindTopic:
		return blockOf(schema.Kind(t.Kind)) == block || string(t.Kind) == block
	}
	return false
}

func membersOf(owners []Topic, path []string) []Topic {
	var all []Topic
	for _, o := range owners {
		for _, m := range o.members(path) {
			all = append(all, m.topic(o))
		}
	}
	return all
}

// within returns what a dotted path leads to: a type of a block, or an argument
// or a result of something.
func (l *Language) within(path []string) []Topic {
	if len(path) < 2 || slices.Contains(path, "") {
		return nil
	}
	owners, below := l.owners(path)
	if len(below) == 0 {
		return owners
	}
	for _, find := range []func([]Topic, []string) []Topic{membersOf, l.throughType, named, l.labelled} {
		if found := find(owners, below); len(found) > 0 {
			return found
		}
	}
	return nil
}

// refersTo returns what a reference of a file is to: what all that it can be
// have under that name, what a type of it yields, or else its block.
func (l *Language) refersTo(path []string) []Topic {
	var found, owners []Topic
	for _, t := range l.topics {
		if t.root == "" || t.root != path[0] {
			continue
		}
		owners = append(owners, t)
		below := path[1:]
		if t.refer.named() && len(below) > 0 {
			below = below[1:]
		}
		if len(below) > 0 {
			found = append(found, yields(t, below)...)
		}
	}
	if len(found) == 0 && len(path) > 2 {
		for _, t := range l.topics {
			if t.isTypeIn(path[0]) {
				found = append(found, yields(t, path[2:])...)
			}
		}
	}
	if len(found) == 0 {
		return owners
	}
	return found
}

func yields(t Topic, path []string) []Topic {
	var all []Topic
	for _, m := range t.members(path) {
		if !m.takes {
			all = append(all, m.topic(t))
		}
	}
	return all
}

// Below returns the topics of all that stands one step below what words mean:
// the arguments and results of a type, or the types of a block.
func (l *Language) Below(words ...string) []Topic {
	var all []Topic
	for _, t := range l.Find(words...) {
		for _, of := range l.topics {
			if t.Kind == BlockTopic && of.isTypeIn(t.Name) {
				all = append(all, of)
			}
		}
		for _, b := range t.bodies {
			for _, name := range names(b.object) {
				all = append(all, membersOf([]Topic{t}, []string{name})...)
			}
		}
	}
	return append(all, l.typesBelow(segments(strings.Join(words, ".")))...)
}

// Suggest returns the word, or the path, that was most likely meant, or "".
func (l *Language) Suggest(word string) string {
	path := segments(word)
	if len(path) < 2 {
		return lang.Suggest(word, l.Words())
	}
	owners, below := l.owners(path)
	meant := slices.Clone(path)
	switch {
	case len(owners) == 0:
		meant[0] = diag.Suggest(path[0], l.Words())
	case len(below) > 0:
		meant[len(path)-len(below)] = diag.Suggest(below[0], memberNames(owners))
	}
	if len(l.within(meant)) == 0 {
		return ""
	}
	return strings.Join(meant, ".")
}

// memberNames are the names of what stands one step below topics.
func memberNames(owners []Topic) []string {
	var all []string
	for _, o := range owners {
		for _, b := range o.bodies {
			all = append(all, names(b.object)...)
		}
	}
	return all
}

// Owner returns the word that a path begins with, if there is more to look up
// below it than the path says; else "".
func (l *Language) Owner(path string) string {
	names := segments(path)
	if len(names) < 2 {
		return ""
	}
	owners, _ := l.owners(names)
	if len(memberNames(owners)) == 0 {
		return ""
	}
	return owners[0].Name
}
