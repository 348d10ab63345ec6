package reference

import (
	"slices"
	"strings"
)

// Kind says what a topic is about.
type Kind string

// The kinds of topics, in the order in which those of one name are shown.
const (
	BlockTopic     Kind = "block"
	ActionTopic    Kind = "action"
	FaultTopic     Kind = "fault"
	ProbeTopic     Kind = "probe"
	WorkloadTopic  Kind = "workload"
	NodeKindTopic  Kind = "node kind"
	RootTopic      Kind = "reference"
	FunctionTopic  Kind = "function"
	StatisticTopic Kind = "statistic"
	ArgumentTopic  Kind = "argument"
	AttributeTopic Kind = "attribute"
	FormatTopic    Kind = "format"
	ValueTypeTopic Kind = "value type"
	CodeTopic      Kind = "code"
	ExitTopic      Kind = "exit code" // of the program, which gives them to With

	ValueTopic Kind = "value" // of those that are found, but not listed
)

// Kinds returns the kinds that are listed, in order.
func Kinds() []Kind {
	return []Kind{
		BlockTopic, ActionTopic, FaultTopic, ProbeTopic, WorkloadTopic, NodeKindTopic,
		RootTopic, FunctionTopic, StatisticTopic, ArgumentTopic, AttributeTopic, FormatTopic, ValueTypeTopic, CodeTopic, ExitTopic,
	}
}

// Plural names all topics of a kind.
func (k Kind) Plural() string { return string(k) + "s" }

// Topic is what there is to say about one word.
type Topic struct {
	Kind     Kind      `json:"kind"`
	Name     string    `json:"name"`
	Group    string    `json:"group,omitempty"` // within the kind
	Summary  string    `json:"summary"`         // one line, without a full stop
	Usage    string    `json:"usage,omitempty"` // how it is written
	Doc      string    `json:"doc,omitempty"`   // Markdown
	Sections []Section `json:"sections,omitempty"`
	Examples []Example `json:"examples,omitempty"`
	See      []string  `json:"see,omitempty"` // words to look up next

	root   string // what a reference to it begins with
	refer  refer
	bodies []body
}

// Section is a list under a heading.
type Section struct {
	Title string `json:"title"`
	Rows  []Row  `json:"rows,omitempty"`
	After string `json:"after,omitempty"` // a sentence below the list
}

// Row is an argument, a result or the like.
type Row struct {
	Name string `json:"name"`
	Type string `json:"type,omitempty"`
	// Facts are such as required, or default 30s.
	Facts []string `json:"facts,omitempty"`
	Doc   string   `json:"doc,omitempty"`
	Rows  []Row    `json:"rows,omitempty"` // of a nested block or an object
}

// Example shows a topic in use.
type Example struct {
	Title string `json:"title,omitempty"`
	Files []File `json:"files"`
	Wrong bool   `json:"wrong,omitempty"` // it is refused
}

// Topics returns all topics, by kind; within it in the order of the language,
// or by name.
func (l *Language) Topics() []Topic { return l.topics }

// Find returns what a word means, or, of a kind and a word, what the word means
// as one of that kind. A path leads to what stands below a word: kill.signal,
// or kill and signal as two words. A reference such as var.replicas finds what
// its root refers to; a value such as SIGKILL or 10mbit, what it is a value of. A
// plural such as "faults" finds nothing here: see List.
func (l *Language) Find(words ...string) []Topic {
	if len(words) == 0 {
		return nil
	}
	found := l.called(words)
	if len(found) == 0 {
		found = l.meant(asName(strings.Join(words, " ")))
	}
	return found
}

// called returns what has the words as its name or leads to.
func (l *Language) called(words []string) []Topic {
	name := withoutBrackets(asName(words[len(words)-1]))
	kind := strings.Join(words[:len(words)-1], " ")
	var found []Topic
	for _, t := range l.topics {
		if strings.EqualFold(t.Name, name) && t.Kind.is(kind) {
			found = append(found, t)
		}
	}
	if len(found) > 0 {
		return found
	}
	path := segments(strings.Join(words, "."))
	if found = l.within(path); len(found) > 0 {
		return found
	}
	if kind == "" && !l.namesType(path) {
		return l.refersTo(path)
	}
	return l.format(strings.Join(words, "_"))
}

// format returns a format by its name as the reference shows it, in words.
func (l *Language) format(name string) []Topic {
	for _, t := range l.List(FormatTopic) {
		if t.Name == name {
			return []Topic{t}
		}
	}
	return nil
}

// rootOf is the first name of a reference.
func rootOf(reference string) string { return segments(reference)[0] }

// is says whether topics of a kind are meant by a word. A fault stands in an
// action block, so that it is found as an action too.
func (k Kind) is(word string) bool {
	return word == "" || word == string(k) || word == k.Plural() || k == FaultTopic && ActionTopic.is(word)
}

// KindOf returns the kind that words name, in singular or plural.
func KindOf(words ...string) (Kind, bool) {
	word := strings.Join(words, " ")
	for _, k := range Kinds() {
		if word == string(k) || word == k.Plural() {
			return k, true
		}
	}
	return "", false
}

// List returns the topics of a kind.
func (l *Language) List(k Kind) []Topic {
	var all []Topic
	for _, t := range l.topics {
		if t.Kind == k {
			all = append(all, t)
		}
	}
	return all
}

// Words returns the name of every topic, and the plurals of kinds, sorted.
func (l *Language) Words() []string {
	var words []string
	for _, t := range l.topics {
		words = append(words, t.Name)
	}
	for _, k := range Kinds() {
		if !strings.Contains(string(k), " ") {
			words = append(words, k.Plural())
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}
