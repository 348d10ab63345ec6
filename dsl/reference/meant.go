package reference

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/schema"
)

// What isn't the name of a topic can still be what a file or a message says: a
// value, a code as it is printed, a type within a block.

var codeIn = regexp.MustCompile(`(?i)SCN[0-9]{4}`)

// asName is a word as the topics have it: a code without what is printed around
// it, a value without its quotes.
func asName(word string) string {
	if code := codeIn.FindString(word); code != "" {
		return strings.ToUpper(code)
	}
	if text, err := strconv.Unquote(word); err == nil && text != "" {
		return text
	}
	return word
}

// meant returns what a word that names nothing stands for: one of the values of
// something, or a value in one of the formats.
func (l *Language) meant(word string) []Topic {
	if word == "true" || word == "false" {
		return l.called([]string{"bool"})
	}
	if name, _, call := strings.Cut(word, "("); call { // a type such as object({ … }), with spaces in it
		return l.called([]string{name})
	}
	if t, ok := l.value(word); ok {
		return []Topic{t}
	}
	var all []Topic
	for _, f := range l.Formats {
		if isIn(f, word) {
			all = append(all, formatTopic(f))
		}
	}
	return all
}

// anyWord is in no format but in those that take whatever there is, of which it
// says nothing that a word is in them.
const anyWord = "word"

// isIn says that a word is a value in a format, and tells something by that.
func isIn(f schema.FormatInfo, word string) bool {
	if strings.HasPrefix(f.Example, `"`) {
		return f.Takes(cty.StringVal(word)) && !f.Takes(cty.StringVal(anyWord))
	}
	if _, err := strconv.Atoi(f.Example); err != nil {
		return false
	}
	n, err := cty.ParseNumberVal(word)
	return err == nil && f.Takes(n)
}

// value describes a word that is one of a few that something can be.
func (l *Language) value(word string) (Topic, bool) {
	t := Topic{Kind: ValueTopic, Name: word}
	s := Section{Title: "Of"}
	var names []string
	l.eachAttr(func(path string, a schema.Attr) {
		if !slices.Contains(a.Enum, word) {
			return
		}
		s.Rows = withRow(s.Rows, Row{Name: path, Type: typeText(a), Doc: a.Doc})
		if !slices.Contains(names, a.Name) {
			names = append(names, a.Name)
		}
		if owner, _, _ := strings.Cut(path, "."); !slices.Contains(t.See, owner) {
			t.See = append(t.See, owner)
		}
	})
	t.Summary = "one of the values of " + code(names)
	t.Sections = []Section{s}
	return t, len(names) > 0
}

// withRow adds a row, to one that says the same if there is one.
func withRow(rows []Row, r Row) []Row {
	i := slices.IndexFunc(rows, func(o Row) bool { return o.Type == r.Type && o.Doc == r.Doc })
	if i < 0 {
		return append(rows, r)
	}
	rows[i].Name += ", " + r.Name
	return rows
}

// eachAttr calls do for every argument and result, with the path that leads to
// it; for those that every step or every fault has, once.
func (l *Language) eachAttr(do func(path string, a schema.Attr)) {
	var body func(path string, o schema.Object)
	body = func(path string, o schema.Object) {
		for _, a := range o.Attrs {
			do(path+"."+a.Name, a)
			body(path+"."+a.Name, schema.Object{Attrs: a.Fields})
		}
		for _, b := range o.Blocks {
			body(path+"."+b.Name, b.Body)
		}
	}
	for _, b := range l.Blocks {
		body(b.Name, b.Args)
		body(b.Name, b.Meta)
		body(b.Name, b.Value)
	}
	body("fault", schema.FaultArgs)
	body("fault", schema.FaultAttrs)
	for _, t := range l.Types {
		body(t.Name, t.Args)
		if t.Result != nil {
			body(t.Name, t.Result(cty.UnknownVal(t.Args.Type())))
		}
	}
}

// throughType returns what a path leads to that goes through the label of a nested
// block, which names a type: chaos.fault.kill, chaos.fault.kill.signal.
func (l *Language) throughType(owners []Topic, path []string) []Topic {
	var all []Topic
	for _, o := range owners {
		for _, b := range o.bodies {
			for at := 1; at < len(path); at++ {
				if m, ok := descend(b.object, path[:at]); ok && m.block != nil && m.block.Of != "" {
					all = append(all, l.typeIn(o.Name+"."+strings.Join(path[:at], "."), *m.block, path[at:])...)
				}
			}
		}
	}
	return all
}

// typesBelow are the types that the label of a nested block can name, to which a
// path leads.
func (l *Language) typesBelow(path []string) []Topic {
	if len(path) < 2 {
		return nil
	}
	owners, below := l.owners(path)
	if len(below) == 0 {
		return nil
	}
	var all []Topic
	for _, o := range owners {
		for _, b := range o.bodies {
			m, ok := descend(b.object, below)
			if !ok || m.block == nil || m.block.Of == "" {
				continue
			}
			for _, t := range l.Types {
				all = append(all, l.typeIn(o.Name+"."+strings.Join(below, "."), *m.block, []string{t.Name})...)
			}
		}
	}
	return all
}

// typeIn returns what stands below a block that is of a type, by the type's name
// and what leads on below it.
func (l *Language) typeIn(name string, b schema.Block, path []string) []Topic {
	for _, t := range l.Types {
		if t.Kind != b.Of || t.Name != path[0] {
			continue
		}
		o, err := b.BodyOf(t)
		if err != nil {
			return nil
		}
		b.Label, b.Body = t.Name, o
		topic := nestedTopic(b)
		topic.Summary, topic.Doc = t.Summary, strings.TrimSpace(t.Doc)
		topic.Name, topic.See = name+"."+t.Name, []string{t.Name, segments(name)[0]}
		if len(path) == 1 {
			return []Topic{topic}
		}
		return membersOf([]Topic{topic}, path[1:])
	}
	return nil
}

// named returns the block, without arguments of its own, in which the last name of
// a path is one that the file gives: define.result.slowest.
func named(owners []Topic, path []string) []Topic {
	if len(path) < 2 {
		return nil
	}
	var all []Topic
	for _, o := range owners {
		for _, m := range o.members(path[:len(path)-1]) {
			if m.block != nil && m.block.Of == "" && len(names(m.block.Body)) == 0 {
				all = append(all, m.topic(o))
			}
		}
	}
	return all
}

// labelled returns what a path leads to past the first label of a block, where that
// is one of a few words: define.action.
func (l *Language) labelled(owners []Topic, path []string) []Topic {
	var all []Topic
	for _, o := range owners {
		if o.Kind != BlockTopic || !slices.ContainsFunc(l.Blocks, func(b lang.Block) bool { return b.Name == o.Name && labelIs(b, path[0]) }) {
			continue
		}
		if len(path) == 1 {
			all = append(all, o)
		} else {
			all = append(all, membersOf([]Topic{o}, path[1:])...)
		}
	}
	return all
}

// labelIs says that a block's first label can be a word: what is defined is an
// action or a probe.
func labelIs(b lang.Block, word string) bool {
	return len(b.Labels) > 0 && b.Labels[0] == "KIND" && (word == string(schema.Action) || word == string(schema.Probe))
}

// Group returns the functions of a group.
func (l *Language) Group(name string) []Topic {
	var all []Topic
	for _, t := range l.List(FunctionTopic) {
		if t.Group == name {
			all = append(all, t)
		}
	}
	return all
}

// Mentions returns the names of the topics that speak of a word, which itself
// needn't be one.
func (l *Language) Mentions(word string) []string {
	use := regexp.MustCompile(`(?i)(^|[^\w.])` + regexp.QuoteMeta(word) + `($|\W)`)
	var all []string
	for _, t := range l.topics {
		if (use.MatchString(t.Summary) || use.MatchString(t.Doc) || slices.ContainsFunc(t.Sections, func(s Section) bool { return speaks(s.Rows, use) })) &&
			!slices.Contains(all, t.Name) {
			all = append(all, t.Name)
		}
	}
	return all
}

func speaks(rows []Row, of *regexp.Regexp) bool {
	return slices.ContainsFunc(rows, func(r Row) bool { return of.MatchString(r.Doc) || speaks(r.Rows, of) })
}
